/** Maps a hook's error to a failure that names hook and moment. */
import { ApplicationFailure } from '@temporalio/common';
import { failureType } from '../loop/failure-types.ts';
import type { HookFailed } from './ask-hook.ts';
import { toRetryDelay } from './to-retry-delay.ts';

/** Final, unless the hook itself asked to be tried again. */
export function toHookFailure({ hook, moment, message, retry }: HookFailed): ApplicationFailure {
  const nextRetryDelay = toRetryDelay(retry?.afterMs);
  return ApplicationFailure.create({
    type: retry === undefined ? failureType.hookFailed : failureType.hookRetry,
    message: `The hook ${hook} failed in ${moment}: ${message}`,
    nonRetryable: retry === undefined,
    ...(nextRetryDelay !== undefined && { nextRetryDelay }),
  });
}
