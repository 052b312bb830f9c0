/** The end of a run whose hook failed. */
import { cutText } from './cut-text.ts';
import { failureType } from './failure-types.ts';
import type { HookError } from './hook-changes.ts';
import type { LoopState } from './loop-state.ts';
import type { Stop } from './stop.ts';

/** Longest text of the error, in UTF-16 code units: the memo keeps no more. */
const errorLength = 300;

/** The stop, naming hook and moment. */
function hookFailed({ hook, moment, message }: HookError): Stop {
  return {
    reason: 'error',
    detail: `The hook ${hook} failed in ${moment}: ${cutText(message, errorLength)}`,
    errorType: failureType.hookFailed,
  };
}

/** A hook that failed beside a call: the call's result stands, and the run ends with the error. */
export function withHookError(state: LoopState, error: HookError | undefined): LoopState {
  if (error === undefined) return state;
  return { ...state, halt: hookFailed(error) };
}
