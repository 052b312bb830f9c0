/** Errors inside a model call become failures at Temporal's boundary: here it is decided whether the call is tried again. */
import { log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { ChatError } from '../chat/chat-error.ts';
import { ModelError } from '../chat/model-error.ts';
import { EverloopError } from '../everloop-error.ts';
import { failureType, modelFailureType } from '../loop/failure-types.ts';
import { HookFailed } from './ask-hook.ts';
import { shortText } from './error-text.ts';
import { isBlobError, toBlobFailure } from './to-blob-failure.ts';
import { toHookFailure } from './to-hook-failure.ts';
import { toRetryDelay } from './to-retry-delay.ts';

/** An error that nobody has classified may pass by itself, but not for an hour. */
const unclassifiedAttempts = 3;

/** What to do about a failure that no retry heals. */
const advice: Partial<Record<ModelError['kind'], string>> = {
  authentication: 'Set a valid API key for this provider on the Worker, then retry the run.',
  permission: 'The key may not use this model: check its permissions.',
  not_found: "Check the model's name in the agent.",
  context_too_long: 'Start with less history, or use a model with a larger context.',
};

/**
 * The failure for `error`, thrown by a model call.
 * @param attempt which attempt this was, from 1
 */
export function toModelFailure(error: unknown, attempt: number): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof ModelError) return fromModelError(error, attempt);
  if (isBlobError(error)) return toBlobFailure(error);
  if (error instanceof ChatError) {
    return ApplicationFailure.create({
      type: failureType.invalidRequest,
      message: shortText(
        `The request cannot be sent to this model: ${error.path}: ${error.message}`,
      ),
      nonRetryable: true,
    });
  }
  if (error instanceof HookFailed) return toHookFailure(error);
  if (error instanceof EverloopError && error.code === 'unknown_model') {
    // Agents may bring models of their own, which another Worker has.
    return ApplicationFailure.create({
      type: failureType.unknownModel,
      message: `${error.message} on this Worker. The run waits for a Worker that has it.`,
    });
  }
  if (error instanceof EverloopError) {
    return ApplicationFailure.create({
      type: failureType.configuration,
      message: error.hint === undefined ? error.message : `${error.message}: ${error.hint}`,
      nonRetryable: true,
    });
  }
  // Nobody knows what an unclassified error says: it may hold a prompt or a key, and history is for ever.
  log.warn('a model call failed with an error that is no ModelError', { error });
  const name = error instanceof Error ? error.name : typeof error;
  return ApplicationFailure.create({
    type: modelFailureType('unknown'),
    message: `The model call failed with ${shortText(name)}; the Worker's log says more.`,
    nonRetryable: attempt >= unclassifiedAttempts,
  });
}

function fromModelError(error: ModelError, attempt: number): ApplicationFailure {
  const { kind, status, providerType, code, requestId, provider } = error;
  const nextRetryDelay = toRetryDelay(error.retryAfterMs);
  const message = shortText(error.message);
  const nonRetryable = kind === 'unknown' ? attempt >= unclassifiedAttempts : !error.retryable;
  const hint = advice[kind];
  return ApplicationFailure.create({
    type: modelFailureType(kind),
    message: hint === undefined ? message : `${message} ${hint}`,
    nonRetryable,
    ...(nextRetryDelay !== undefined && { nextRetryDelay }),
    details: [{ kind, status, providerType, code, requestId, provider }],
  });
}
