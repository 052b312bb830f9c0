/** The demo's approvals: shows how a person would decide, and decides. */
import type { Everloop } from '../client/everloop.ts';
import type { RunEvent } from '../loop/events.ts';

/** Who grants what the demo's run asks for. */
export interface DemoApproval {
  /** Told every event of the run. */
  event(event: RunEvent): void;
  /** Calls that were allowed. */
  readonly granted: number;
  /** Rejects when a decision does not reach its run. */
  readonly failed: Promise<never>;
}

/** Grants every approval; `tell` says so. */
export function createDemoApproval(everloop: Everloop, tell: (text: string) => void): DemoApproval {
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  let granted = 0;
  const grant = async (runId: string, callId: string) => {
    await everloop.run(runId).decide(callId, { decision: 'allow', by: 'the demo' });
    granted += 1;
  };
  return {
    failed: failure.promise,
    get granted() {
      return granted;
    },
    event({ type, runId, data }) {
      if (type !== 'approval-request') return;
      const { callId, name } = data;
      tell(
        `The run waits: ${name} needs an approval. Anybody may give it, now or in a week: everloop approve ${runId} ${callId}\nThe demo gives it.`,
      );
      grant(runId, callId).catch(failure.reject);
    },
  };
}
