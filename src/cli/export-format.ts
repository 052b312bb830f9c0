/** What `everloop export` writes of a run. */
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { RunSnapshot } from '../client/run-snapshot.ts';
import type { RunResult } from '../loop/run-result.ts';
import type { RunStatus } from '../loop/run-status.ts';
import { toRunResult } from '../loop/to-run-result.ts';

/** A run for other programs. Later versions may have more members. */
export interface RunExport {
  readonly format: 'everloop-run';
  readonly version: 1;
  readonly runId: string;
  readonly agent: string;
  readonly title: string;
  readonly status: RunStatus;
  /** Absent while the run goes on, and when it was closed from outside. */
  readonly result?: RunResult;
  readonly messages: readonly TranscriptMessage[];
}

/** Puts together what is known of the run, and all its messages. */
export function toRunExport(
  { id, status, state }: RunSnapshot,
  messages: readonly TranscriptMessage[],
): RunExport {
  const hasEnded = state?.endedAt !== undefined && state.stop !== undefined;
  return {
    format: 'everloop-run',
    version: 1,
    runId: id,
    agent: state?.start.agent ?? '',
    title: state?.title ?? '',
    status,
    ...(hasEnded && { result: toRunResult(state) }),
    messages,
  };
}
