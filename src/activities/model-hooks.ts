/** Asks the hooks around a model call, inside its Activity: what they change is part of the call's result. */
import * as z from 'zod/mini';
import type { Hook } from '../agents/define-hook.ts';
import type { Message } from '../chat/message.ts';
import { Message as MessageSchema } from '../chat/message.ts';
import { Options } from '../chat/options.ts';
import type { Request } from '../chat/request.ts';
import { resolveOptions } from '../chat/resolve-options.ts';
import type { Response } from '../chat/response.ts';
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

const ModelStartAnswer = z.strictObject({
  ...anyChanges,
  ...stopChange,
  messages: z.optional(z.array(MessageSchema).check(z.minLength(1))),
  options: z.optional(Options),
});
const ModelEndAnswer = z.strictObject({
  ...anyChanges,
  ...stopChange,
  message: z.optional(
    MessageSchema.check(
      z.refine(({ role }) => role === 'assistant', { error: 'must have the role assistant' }),
    ),
  ),
});

/** The request as the hooks leave it; `stopped`: one of them wants no request at all. */
export interface PreparedRequest {
  readonly request: Request;
  readonly changes: readonly HookChanges[];
  readonly stopped: boolean;
}

/**
 * Asks before a request. Each hook sees the transcript as the one before it left it; instructions stay as they are.
 * @throws HookFailed when a hook that is no observer fails
 */
export async function prepareRequest(
  hooks: readonly Hook[],
  asking: Asking,
  given: Request,
): Promise<PreparedRequest> {
  const changes: HookChanges[] = [];
  let request = given;
  for (const hook of hooks) {
    if (hook.onModelStart === undefined) continue;
    try {
      const { instructions, messages } = split(request);
      const options = request.options ?? {};
      const answer = await askAgain(() =>
        askHook(
          hook,
          'onModelStart',
          (context) => hook.onModelStart?.({ ...context, request: { messages, options } }),
          ModelStartAnswer,
          asking,
        ),
      );
      if (answer?.messages !== undefined) {
        request = { ...request, messages: [...instructions, ...answer.messages] };
      }
      if (answer?.options !== undefined) {
        request = { ...request, options: resolveOptions(options, answer.options) };
      }
      // What is sent this time only is no change of the run.
      const { messages: _, options: __, ...lasting } = answer ?? {};
      const changed = toChanges(hook, lasting);
      if (changed !== undefined) changes.push(changed);
      if (changed?.stop !== undefined) return { request, changes, stopped: true };
    } catch (error) {
      changes.push(observed(hook, error));
    }
  }
  return { request, changes, stopped: false };
}

function split({ messages }: Request): {
  readonly instructions: readonly Message[];
  readonly messages: readonly Message[];
} {
  return {
    instructions: messages.filter(({ role }) => role === 'system'),
    messages: messages.filter(({ role }) => role !== 'system'),
  };
}

/** The answer as the hooks leave it. */
export interface ReviewedResponse {
  readonly message?: Message;
  readonly changes: readonly HookChanges[];
  /** A hook failed; those after it were not asked, and the answer stands. */
  readonly hookError?: HookError;
}

/** Asks after a response. Never throws for a hook: the response was paid for. */
export async function reviewResponse(
  hooks: readonly Hook[],
  asking: Asking,
  { output, metadata }: Response,
): Promise<ReviewedResponse> {
  const changes: HookChanges[] = [];
  const { finishReason } = output;
  const usage = metadata?.usage;
  let message = output.message;
  for (const hook of hooks) {
    if (hook.onModelEnd === undefined) continue;
    const response = {
      ...(message !== undefined && { message }),
      finishReason,
      ...(usage !== undefined && { usage }),
    };
    try {
      const answer = await askAgain(
        () =>
          askHook(
            hook,
            'onModelEnd',
            (context) => hook.onModelEnd?.({ ...context, response }),
            ModelEndAnswer,
            asking,
          ),
        asking.afterCall,
      );
      message = answer?.message ?? message;
      const changed = toChanges(hook, answer);
      if (changed !== undefined) changes.push(changed);
      const hookError = tooManyChanges('onModelEnd', changes);
      if (hookError !== undefined) {
        return {
          ...(message !== undefined && { message }),
          changes: changes.slice(0, -1),
          hookError,
        };
      }
    } catch (error) {
      if (!(error instanceof HookFailed)) throw error;
      if (hook.observer === true) changes.push(observed(hook, error));
      else {
        const { moment, message: why } = error;
        const hookError = { hook: hook.name, moment, message: why };
        return { ...(message !== undefined && { message }), changes, hookError };
      }
    }
  }
  return { ...(message !== undefined && { message }), changes };
}
