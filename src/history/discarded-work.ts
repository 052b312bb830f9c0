/** What a run did after the boundary that it is taken back to: the tool calls that had begun. */
import { callsOf } from '../chat/calls-of.ts';
import type { Effect } from '../loop/agent-spec.ts';
import type { Fact } from '../loop/fact.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { toolSpecOf } from '../loop/tool-spec-of.ts';
import type { Step } from './run-projection.ts';
import type { ReadHistory, TemporalRun } from './told-points.ts';
import { readPoints } from './told-points.ts';

/** A tool call that was started. `unknown`: it was on its way, or its outcome never came back. */
export interface DoneCall {
  readonly callId: string;
  readonly name: string;
  /** The text of its arguments. */
  readonly arguments?: string;
  readonly iteration: number;
  readonly effect: Effect;
  readonly outcome: 'finished' | 'error' | 'unknown';
}

/** What was done since. */
export interface DoneWork {
  readonly calls: readonly DoneCall[];
  /** User messages that were received since. */
  readonly received: number;
}

/**
 * Looks through the histories from the Temporal run back to the one that holds the boundary.
 * @param since temporal run and iteration of the boundary
 */
export async function doneSince(
  read: ReadHistory,
  run: TemporalRun,
  since: { readonly temporalRunId: string; readonly iteration: number },
): Promise<DoneWork> {
  let calls: readonly DoneCall[] = [];
  let received = 0;
  let until = Number.POSITIVE_INFINITY;
  let next: TemporalRun | undefined = run;
  while (next !== undefined) {
    const work = new WorkCollector(since.iteration, until);
    const told = await readPoints(read, next, undefined, (step) => work.see(step));
    if (told === undefined) break;
    calls = [...work.calls, ...calls];
    received += work.received;
    const { origin } = told;
    if (next.temporalRunId === since.temporalRunId || origin?.how === 'forked') break;
    // What lay behind an earlier return was left behind then.
    if (origin !== undefined && origin.how !== 'continued') {
      until = told.boundaries[0]?.iteration ?? until;
    }
    next = origin?.from;
  }
  return { calls, received };
}

class WorkCollector {
  readonly #after: number;
  readonly #until: number;
  readonly #calls = new Map<string, DoneCall>();
  received = 0;

  constructor(after: number, until: number) {
    this.#after = after;
    this.#until = until;
  }

  get calls(): readonly DoneCall[] {
    return [...this.#calls.values()];
  }

  see({ fact, before, after }: Step): void {
    const { iteration } = after;
    if (before === undefined || iteration > this.#until || iteration < this.#after) return;
    if (fact.type === 'message-received' && after.received > before.received) this.received += 1;
    if (iteration === this.#after) return;
    if (fact.type === 'tool-started') this.#started(after, fact);
    if (fact.type === 'tool-ended') this.#ended(fact);
  }

  #started(state: LoopState, { callId }: Extract<Fact, { type: 'tool-started' }>): void {
    const call =
      state.pendingToolCalls.find((pending) => pending.call.id === callId)?.call ??
      callsOf(state.lastResponse?.message).find(({ id }) => id === callId);
    if (call === undefined) return;
    const tool = state.agent && toolSpecOf(state.agent, call.name);
    this.#calls.set(callId, {
      callId,
      name: call.name,
      ...(call.arguments !== undefined && { arguments: call.arguments }),
      iteration: state.iteration,
      effect: tool?.effect ?? 'once',
      outcome: 'unknown',
    });
  }

  #ended({ callId, outcome }: Extract<Fact, { type: 'tool-ended' }>): void {
    const call = this.#calls.get(callId);
    if (call === undefined) return;
    if (outcome.status === 'called-off' || outcome.status === 'not-started') {
      this.#calls.delete(callId);
    } else if (outcome.status === 'finished') {
      const isError = outcome.message.parts.some(
        (part) => part.kind === 'tool_result' && part.toolResult.isError === true,
      );
      this.#calls.set(callId, { ...call, outcome: isError ? 'error' : 'finished' });
    }
  }
}

/** The calls that may have changed something in the world. */
export function withEffect(calls: readonly DoneCall[]): readonly DoneCall[] {
  return calls.filter(({ effect }) => effect !== 'none');
}
