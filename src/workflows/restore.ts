/** Looks for the point that a run goes on from. */
import { ApplicationFailure } from '@temporalio/workflow';
import { isRestored } from '../loop/call-results.ts';
import { failureType } from '../loop/failure-types.ts';
import type { FromPoint } from '../loop/from-point.ts';
import { nodes, restoreOptions } from './activities.ts';
import type { Run } from './run.ts';

/**
 * Goes on from the state at the point.
 * @throws ActivityFailure when there is no such point, or the run cannot go on from it like that: it ends the run
 */
export async function restoreState(run: Run, from: FromPoint): Promise<void> {
  const { runId, iteration, message } = from.point;
  const where = iteration === undefined ? `message ${message}` : `iteration ${iteration}`;
  const options = restoreOptions(`${where} of ${runId}`);
  const restored: unknown = await nodes.everloopRestoreState.executeWithOptions(options, [from]);
  if (!isRestored(restored)) {
    throw ApplicationFailure.create({
      type: failureType.noSuchPoint,
      message: 'The search for the point was answered with something that is no state of a run.',
      nonRetryable: true,
    });
  }
  run.apply({ ...restored, type: 'restored' });
}
