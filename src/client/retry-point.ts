/** Where a run that failed is taken back to. */
import type { Client } from '@temporalio/client';
import { EverloopError } from '../everloop-error.ts';
import type { TemporalRun, ToldPoints } from '../history/told-points.ts';
import { readPoints } from '../history/told-points.ts';
import { isOpen } from '../loop/run-status.ts';
import { translated } from './client-errors.ts';
import { readHistory } from './read-history.ts';
import type { RewindOptions } from './rewind-plan.ts';
import { takeSnapshot } from './run-snapshot.ts';

/** With what a failed run tries again. */
export type RetryOptions = Omit<RewindOptions, 'toIteration' | 'at'>;

/**
 * Where a run that failed is taken back to: its newest boundary without a later failure.
 * @throws EverloopError `rejected` when it has not failed, or there is nothing to go back to
 */
export async function retryPoint(
  client: Client,
  id: string,
  { maxIterations, budget }: RetryOptions,
): Promise<{ readonly toIteration: number }> {
  const snapshot = await takeSnapshot(client, id);
  const { status, stuck, state } = snapshot;
  if (status === 'completed') {
    throw new EverloopError('rejected', `run ${id} has completed: there is nothing to try again`, {
      hint: `take it back with: everloop rewind ${id} --to <iteration>`,
    });
  }
  if (isOpen(status) && stuck === undefined) {
    throw new EverloopError('rejected', `run ${id} is going on: there is nothing to try again`, {
      hint: `take it back with: everloop rewind ${id} --to <iteration>`,
    });
  }
  const reason = state?.stop?.reason;
  if (reason === 'max_iterations' && maxIterations === undefined) {
    throw new EverloopError('rejected', `run ${id} has come to its limit of iterations`, {
      hint: `give it more: everloop retry ${id} --max-iterations <n> (maxIterations)`,
    });
  }
  if (reason === 'budget' && budget === undefined) {
    throw new EverloopError('rejected', `run ${id} stopped at its budget`, {
      hint: `give it more: everloop retry ${id} --budget-tokens <n> or --budget-usd <amount> (budget)`,
    });
  }
  const read = (run: TemporalRun) => readHistory(client, run);
  for (let next: string | undefined = snapshot.temporalRunId; next !== undefined; ) {
    const run: TemporalRun = { runId: id, temporalRunId: next };
    const told: ToldPoints | undefined = await translated(id, () => readPoints(read, run));
    const good = told?.boundaries.findLast(({ stop }) => stop === undefined);
    if (good !== undefined) return { toIteration: good.iteration };
    next = told?.origin?.how === 'forked' ? undefined : told?.origin?.previous;
  }
  // It stopped before its first iteration had ended: it begins again, with what it was started with.
  if (state?.agent !== undefined) return { toIteration: 0 };
  throw new EverloopError('rejected', `run ${id} had not begun: there is nothing to go back to`, {
    hint: 'start it anew',
  });
}
