/** The tool Activity: runs one tool call and returns its result as the final message. */
import { activityInfo, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type * as z from 'zod/mini';
import { toolInput } from '../chat/tool-input.ts';
import type { ToolOutput } from '../chat/tool-output.ts';
import type { IdentifiedMessage } from '../chat/transcript-message.ts';
import type { ToolRunResult } from '../loop/calls.ts';
import { ToolRunInput } from '../loop/calls.ts';
import { failureType } from '../loop/failure-types.ts';
import { activityMessageId, iterationOf } from '../loop/message-ids.ts';
import { stopGraceMs } from '../loop/stop-grace.ts';
import type { EventBus } from '../storage/event-bus.ts';
import type { Tool, ToolContext } from '../tools/define-tool.ts';
import { InvalidToolInput, RetryableError } from '../tools/define-tool.ts';
import { bounded, TimedOut } from './bounded.ts';
import { messageOf, shortText } from './error-text.ts';
import { isRunCancelled, withHeartbeat } from './heartbeat.ts';
import { isRecordable } from './is-recordable.ts';
import { createLiveEvents } from './live-events.ts';
import { toRetryDelay } from './to-retry-delay.ts';
import { limitOutput, toToolOutput } from './tool-output.ts';

/** What the tool Activity needs of its Worker. */
export interface RunToolDependencies {
  readonly bus: EventBus;
  readonly heartbeatIntervalMs: number;
  /** The code behind a tool, or undefined when this Worker has none. */
  readonly toolNamed: (agent: string, name: string) => Tool | undefined;
}

/** Makes the Activity `everloopRunTool`. */
export function createRunTool(dependencies: RunToolDependencies) {
  return (raw: z.input<typeof ToolRunInput>): Promise<ToolRunResult> =>
    withHeartbeat(dependencies.heartbeatIntervalMs, async (attempts) => {
      const input = ToolRunInput.parse(raw);
      const ended = await execute(dependencies, input);
      if (ended === 'cancelled') return { cancelled: true };
      const output = limitOutput(ended.output, input.maxResultBytes);
      const message = resultMessage(input, output, ended.isError);
      return {
        message: isRecordable(message) ? message : resultMessage(input, tooLarge(input), true),
        ...(attempts.length > 0 && { attempts: [...attempts] }),
      };
    });
}

type Ended = { readonly output: ToolOutput; readonly isError: boolean } | 'cancelled';

async function execute(dependencies: RunToolDependencies, input: ToolRunInput): Promise<Ended> {
  const { call } = input;
  const tool = dependencies.toolNamed(input.agent, call.name);
  if (tool === undefined) {
    return failed(`tool ${call.name} is not available any more. Use another tool.`);
  }
  const parsed = toolInput(call);
  if (!parsed.ok) return failed(`invalid arguments for ${call.name}: ${parsed.problem}`);
  const { cancellationSignal: stop } = Context.current();
  const { timeoutMs } = input;
  try {
    const value = await bounded(
      (signal) => tool.run(parsed.input, contextOf(dependencies.bus, input, signal)),
      { timeoutMs, stop, graceMs: stopGraceMs },
    );
    return { output: toToolOutput(value ?? undefined), isError: false };
  } catch (error) {
    if (error instanceof InvalidToolInput) {
      return failed(`invalid arguments for ${call.name}: ${error.message}`);
    }
    if (error instanceof TimedOut) return failed(timedOut(input));
    if (stop.aborted) {
      if (isRunCancelled()) return 'cancelled';
      // Shutdown or time-out: another attempt runs it again if its effect allows.
      throw input.effect === 'once' ? lost() : stop.reason;
    }
    if (error instanceof RetryableError) return retryLater(input, error);
    return failed(`${call.name} failed: ${messageOf(error)}`);
  }
}

function timedOut({ call, effect, timeoutMs }: ToolRunInput): string {
  const doubt =
    effect === 'none' ? '' : ' It may or may not have taken effect: check before calling it again.';
  return `${call.name} timed out after ${timeoutMs / 1000} seconds.${doubt}`;
}

function contextOf(
  bus: EventBus,
  { call, idempotencyKey }: ToolRunInput,
  signal: AbortSignal,
): ToolContext {
  const { activityId, attempt, workflowExecution } = activityInfo();
  const id = workflowExecution?.workflowId ?? '';
  const live = createLiveEvents(bus);
  return {
    signal,
    idempotencyKey,
    attempt,
    run: { id, iteration: iterationOf(activityId), callId: call.id },
    progress: (value) => live.publish('tool-progress', { callId: call.id, value }),
  };
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

function tooLarge({ call }: ToolRunInput): ToolOutput {
  return toToolOutput(
    `${call.name} finished, but its result is too large to keep. Ask for a smaller part.`,
  );
}

function failed(text: string): Ended {
  return { output: toToolOutput(text), isError: true };
}

function resultMessage(
  { call }: ToolRunInput,
  output: ToolOutput,
  isError: boolean,
): IdentifiedMessage {
  const { activityId, attempt, workflowExecution } = activityInfo();
  return {
    id: activityMessageId(workflowExecution?.runId ?? '', activityId, attempt),
    role: 'tool',
    parts: [
      {
        kind: 'tool_result',
        toolResult: { id: call.id, name: call.name, output, ...(isError && { isError }) },
      },
    ],
  };
}
