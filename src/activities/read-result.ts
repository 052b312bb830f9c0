/** The Activity that reads the result of a run whose Workflow could not record one: a cancelled Workflow closes without. */
import { ApplicationFailure } from '@temporalio/common';
import type { RecordedEvent } from '../history/recorded-event.ts';
import { latestState } from '../history/state-at.ts';
import { failureType } from '../loop/failure-types.ts';
import type { RunResult } from '../loop/run-result.ts';
import { toRunResult } from '../loop/to-run-result.ts';

/** What reading a result needs of its Worker. */
export interface ReadResultDependencies {
  /** Reads the newest Temporal run of a run, oldest event first. */
  readonly readHistory: (run: { readonly runId: string }) => AsyncIterable<RecordedEvent>;
}

/** Makes the Activity `everloopReadResult`. */
export function createReadResult({ readHistory }: ReadResultDependencies) {
  return async ({ runId }: { readonly runId: string }): Promise<RunResult> => {
    const events = await Array.fromAsync(readHistory({ runId }));
    const state = latestState({ runId, events });
    if (state?.stop !== undefined) return toRunResult(state);
    throw ApplicationFailure.create({
      type: failureType.runFailed,
      message: `Run ${runId} has no result: it has not stopped by itself.`,
      nonRetryable: true,
    });
  };
}
