/** Temporal's native runtime in a test: quiet, unless the test has installed one of its own. */
import { IllegalStateError } from '@temporalio/common';
import { installRuntime } from '../engine/runtime.ts';

/** Installs it for this process; only the first call does anything. */
export function installTestRuntime(): void {
  try {
    installRuntime('ERROR');
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
