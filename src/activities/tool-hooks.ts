/** Asks the hooks after a tool call. The call has happened: nothing here runs it again. */
import * as z from 'zod/mini';
import type { Hook } from '../agents/define-hook.ts';
import type { ToolCall } from '../chat/tool-call.ts';
import { ToolOutput } from '../chat/tool-output.ts';
import type { IdentifiedMessage } from '../chat/transcript-message.ts';
import type { HookChanges, HookError } from '../loop/hook-changes.ts';
import type { Asking } from './ask-hook.ts';
import {
  anyChanges,
  askAgain,
  askHook,
  HookFailed,
  observed,
  stopChange,
  toChanges,
  tooManyChanges,
} from './ask-hook.ts';
import { toToolOutput } from './tool-output.ts';

const ToolEndAnswer = z.strictObject({
  ...anyChanges,
  ...stopChange,
  result: z.optional(
    z.strictObject({
      output: z.union([z.string(), ToolOutput]),
      isError: z.optional(z.boolean()),
    }),
  ),
});

/** The result as the hooks leave it. */
export interface RewrittenResult {
  readonly message: IdentifiedMessage;
  readonly changes: readonly HookChanges[];
  /** A hook failed; those after it were not asked. */
  readonly hookError?: HookError;
}

/** Asks each hook in turn; each sees what the one before it made of the result. */
export async function rewriteResult(
  hooks: readonly Hook[],
  asking: Asking,
  call: ToolCall,
  result: IdentifiedMessage,
): Promise<RewrittenResult> {
  const changes: HookChanges[] = [];
  let message = result;
  for (const hook of hooks) {
    try {
      const answer = await askAgain(() => ask(hook, asking, call, message), asking.afterCall);
      if (answer?.result !== undefined) message = withResult(message, answer.result);
      const changed = toChanges(hook, answer);
      if (changed !== undefined) changes.push(changed);
      const hookError = tooManyChanges('onToolEnd', changes);
      if (hookError !== undefined) return { message, changes: changes.slice(0, -1), hookError };
    } catch (error) {
      if (!(error instanceof HookFailed)) throw error;
      if (hook.observer === true) changes.push(observed(hook, error));
      else {
        const { moment, message: why } = error;
        return { message, changes, hookError: { hook: hook.name, moment, message: why } };
      }
    }
  }
  return { message, changes };
}

function ask(hook: Hook, asking: Asking, call: ToolCall, { parts }: IdentifiedMessage) {
  const [part] = parts;
  if (part?.kind !== 'tool_result') throw new Error('no tool result to ask about');
  const { output, isError = false } = part.toolResult;
  return askHook(
    hook,
    'onToolEnd',
    (context) => hook.onToolEnd?.({ ...context, call, result: { output, isError } }),
    ToolEndAnswer,
    asking,
  );
}

function withResult(
  message: IdentifiedMessage,
  { output, isError = false }: NonNullable<z.output<typeof ToolEndAnswer>['result']>,
): IdentifiedMessage {
  return {
    ...message,
    parts: message.parts.map((part) => {
      if (part.kind !== 'tool_result') return part;
      const { id, name } = part.toolResult;
      const toolResult = { id, name, output: toToolOutput(output), ...(isError && { isError }) };
      return { ...part, toolResult };
    }),
  };
}
