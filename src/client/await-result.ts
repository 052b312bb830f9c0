/** Waits for what a run comes to, whichever Temporal run of it ends it. */
import type { Client } from '@temporalio/client';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure } from '@temporalio/common';
import { EverloopError } from '../everloop-error.ts';
import { failureType } from '../loop/failure-types.ts';
import { RunResult } from '../loop/run-result.ts';
import { toRunResult } from '../loop/to-run-result.ts';
import { takeSnapshot } from './run-snapshot.ts';
import { newestTemporalRun } from './temporal-runs.ts';

/**
 * The run's result, once it has ended, for every stop reason.
 * @throws EverloopError `terminated`, `invalid_input`, `run_failed`; errors of Temporal's client as they are
 */
export async function awaitResult(client: Client, id: string): Promise<RunResult> {
  for (;;) {
    const temporalRunId = await newestTemporalRun(client, id);
    try {
      return RunResult.parse(await client.workflow.getHandle(id, temporalRunId).result());
    } catch (error) {
      if (!(error instanceof WorkflowFailedError)) throw error;
      // A reset or a rewind ends one Temporal run of this id, and the run goes on in another.
      if (temporalRunId !== (await newestTemporalRun(client, id))) continue;
      return await resultOfFailure(client, id, error);
    }
  }
}

async function resultOfFailure(
  client: Client,
  id: string,
  { cause }: WorkflowFailedError,
): Promise<RunResult> {
  if (cause instanceof TerminatedFailure) {
    throw new EverloopError('terminated', `run ${id} was terminated`, {
      hint: 'what it did is still there: everloop show <id>',
    });
  }
  if (cause instanceof ApplicationFailure) {
    if (cause.type === failureType.invalidInput) {
      throw new EverloopError('invalid_input', cause.message);
    }
    const recorded = RunResult.safeParse(cause.details?.[0]);
    if (recorded.success) return recorded.data;
    throw new EverloopError('run_failed', cause.message);
  }
  // A cancelled Workflow records no result: it is read from its history.
  const { state } = await takeSnapshot(client, id);
  if (cause instanceof CancelledFailure && state?.stop !== undefined) return toRunResult(state);
  throw new EverloopError('run_failed', `run ${id} failed: ${cause?.message}`);
}
