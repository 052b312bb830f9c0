/** Streams one answer of a model to its end: to watchers piece by piece, to the caller whole. */
import { Context } from '@temporalio/activity';
import type { Accumulator } from '../chat/accumulator.ts';
import { createAccumulator } from '../chat/accumulator.ts';
import { isChatError } from '../chat/chat-error.ts';
import type { LanguageModel } from '../chat/language-model.ts';
import { ModelError } from '../chat/model-error.ts';
import type { ReportEntry } from '../chat/report.ts';
import type { Request } from '../chat/request.ts';
import type { Response } from '../chat/response.ts';
import { isRunCancelled } from './heartbeat.ts';
import type { LiveEvents } from './live-events.ts';

/** The answer, and what could not be said to the provider. */
export interface WholeAnswer {
  readonly response: Response;
  readonly report: readonly ReportEntry[];
}

/** What had arrived when the run was cancelled. */
export interface CancelledAnswer {
  readonly cancelled: Accumulator;
}

/**
 * Asks the model. A run that is cancelled meanwhile gets what had arrived; whatever else ends the attempt is thrown.
 * @throws ModelError, ChatError, and the reason of the Activity's signal
 */
export async function streamAnswer(
  model: LanguageModel,
  request: Request,
  live: LiveEvents,
): Promise<WholeAnswer | CancelledAnswer> {
  const { cancellationSignal: signal } = Context.current();
  const accumulator = createAccumulator();
  const report: ReportEntry[] = [];
  let outputStarted = false;
  if (model.streams === false) live.publish('stream-fallback', { model: model.name });
  try {
    for await (const delta of model.stream(request, {
      signal,
      report: (entry) => report.push(entry),
    })) {
      accumulator.add(delta);
      if (delta.parts === undefined) continue;
      outputStarted = true;
      live.publishParts(delta.parts);
    }
  } catch (error) {
    if (!isRunCancelled()) throw asModelError(error, outputStarted);
    return { cancelled: accumulator };
  }
  return { response: responseOf(accumulator), report };
}

function responseOf(accumulator: Accumulator): Response {
  try {
    return accumulator.response();
  } catch (error) {
    throw asModelError(error, true);
  }
}

/** A stream that breaks the protocol is the provider's failure, not the request's. */
function asModelError(error: unknown, outputStarted: boolean): unknown {
  if (!isChatError(error, 'invalid_response')) return error;
  const message = `the provider's stream is invalid: ${error.message}`;
  return new ModelError(message, { kind: 'invalid_response', outputStarted }, { cause: error });
}
