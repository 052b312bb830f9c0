/** Runs the code of one tool call within its bounds; whatever that does becomes a result, or another attempt. */
import { activityInfo, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { toolInput } from '../chat/tool-input.ts';
import type { ToolOutput } from '../chat/tool-output.ts';
import type { ToolRunInput } from '../loop/calls.ts';
import { failureType } from '../loop/failure-types.ts';
import { stopGraceMs } from '../loop/stop-grace.ts';
import type { Tool } from '../tools/define-tool.ts';
import { InvalidToolInput, RetryableError } from '../tools/define-tool.ts';
import type { Leave } from './admission.ts';
import { admission } from './admission.ts';
import { bounded, TimedOut } from './bounded.ts';
import type { ToolSurroundings } from './create-tool-context.ts';
import { createToolContext } from './create-tool-context.ts';
import { messageOf, shortText } from './error-text.ts';
import { isRunCancelled } from './heartbeat.ts';
import { toRetryDelay } from './to-retry-delay.ts';
import { toToolOutput } from './tool-output.ts';

/** How a call ended. `cancelled`: nobody knows how far it came; `not-started`: it was called off before it began. */
export type Ended =
  | { readonly output: ToolOutput; readonly isError: boolean }
  | 'cancelled'
  | 'not-started';

/**
 * Runs the call.
 * @throws ApplicationFailure, or the reason of the Activity's cancellation, when another attempt shall run it
 */
export async function executeCall(
  surroundings: ToolSurroundings,
  tool: Tool | undefined,
  input: ToolRunInput,
): Promise<Ended> {
  const { call } = input;
  if (tool === undefined) {
    return failed(`tool ${call.name} is not available any more. Use another tool.`);
  }
  const parsed = toolInput(call);
  if (!parsed.ok) return failed(`invalid arguments for ${call.name}: ${parsed.problem}`);
  const { cancellationSignal: stop } = Context.current();
  let leave: Leave;
  try {
    leave = await admission(tool, tool.maxWaitMs ?? input.timeoutMs, stop);
  } catch (error) {
    return notAdmitted(input, error, stop);
  }
  try {
    const value = await bounded(
      (signal) => tool.run(parsed.input, createToolContext(surroundings, input, signal)),
      { timeoutMs: input.timeoutMs, stop, graceMs: stopGraceMs },
    );
    return { output: toToolOutput(value ?? undefined), isError: false };
  } catch (error) {
    return endOf(input, error, stop);
  } finally {
    leave();
  }
}

/** The tool was not run, at least not in this attempt. */
function notAdmitted(input: ToolRunInput, error: unknown, stop: AbortSignal): Ended {
  const { attempt, retryPolicy } = activityInfo();
  if (!stop.aborted) {
    const why = error instanceof TimedOut ? 'it waited too long for its turn' : messageOf(error);
    return failed(`${input.call.name} was not run: ${why}. Try again later.`);
  }
  // What an attempt that was lost has done is not known, unless it could do nothing.
  const isUnrun = attempt === 1 || input.effect === 'none';
  if (isRunCancelled()) return isUnrun ? 'not-started' : 'cancelled';
  if (isUnrun && attempt >= (retryPolicy?.maximumAttempts ?? 1)) return 'not-started';
  throw stop.reason;
}

function endOf(input: ToolRunInput, error: unknown, stop: AbortSignal): Ended {
  const { name } = input.call;
  if (error instanceof InvalidToolInput) {
    return failed(`invalid arguments for ${name}: ${error.message}`);
  }
  if (error instanceof TimedOut) return failed(timedOut(input));
  if (stop.aborted) {
    if (isRunCancelled()) return 'cancelled';
    // Shutdown or time-out: another attempt runs it again if its effect allows.
    throw input.effect === 'once' ? lost() : stop.reason;
  }
  if (error instanceof RetryableError) return retryLater(input, error);
  return failed(`${name} failed: ${messageOf(error)}`);
}

function timedOut({ call, effect, timeoutMs }: ToolRunInput): string {
  const doubt =
    effect === 'none' ? '' : ' It may or may not have taken effect: check before calling it again.';
  return `${call.name} timed out after ${timeoutMs / 1000} seconds.${doubt}`;
}

/** Asks Temporal for another attempt, unless there is none left: then the model decides. */
function retryLater(input: ToolRunInput, error: RetryableError): Ended {
  const { attempt, retryPolicy } = activityInfo();
  const nextRetryDelay = toRetryDelay(error.retryAfterMs);
  const attempts = retryPolicy?.maximumAttempts ?? 1;
  if (input.effect === 'once' || attempt >= attempts) {
    const wait =
      nextRetryDelay === undefined ? '' : ` It may work in ${nextRetryDelay / 1000} seconds.`;
    return failed(`${input.call.name} failed: ${error.message}.${wait}`);
  }
  throw ApplicationFailure.create({
    type: failureType.toolRetry,
    message: shortText(error.message),
    ...(nextRetryDelay !== undefined && { nextRetryDelay }),
  });
}

/** The Workflow makes `outcome unknown` of it. */
function lost(): ApplicationFailure {
  return ApplicationFailure.create({
    type: failureType.toolLost,
    message: 'its Worker shut down',
    nonRetryable: true,
  });
}

function failed(text: string): Ended {
  return { output: toToolOutput(text), isError: true };
}
