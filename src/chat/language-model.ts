/** The seam to every model: what an adapter implements and what the rest of the code calls. */
import { createAccumulator } from './accumulator.ts';
import { isChatError } from './chat-error.ts';
import { ModelError } from './model-error.ts';
import type { ReportEntry } from './report.ts';
import type { Request } from './request.ts';
import { assertRequest } from './request.ts';
import type { Response } from './response.ts';
import { createResponse } from './response.ts';
import type { ResponseDelta } from './response-delta.ts';
import { toDelta } from './to-delta.ts';

/** What goes with a call: how it is cancelled, and who hears what could not be said. */
export interface CallOptions {
  readonly signal: AbortSignal;
  readonly report?: ((entry: ReportEntry) => void) | undefined;
}

/**
 * A model that can be asked.
 *
 * Contract: an invalid request is refused before any I/O; the request is neither kept nor changed; what
 * is returned belongs to the caller; a cancelled call throws the reason of its signal.
 */
export interface LanguageModel {
  readonly name: string;
  /** `false`: an answer comes in one piece, because the model or something around it cannot stream. */
  readonly streams?: false;
  /**
   * Contract: nothing happens before iteration; a failure is thrown once and ends the stream; leaving the
   * loop early releases what the stream holds; a stream without a finish reason throws.
   */
  stream(request: Request, options: CallOptions): AsyncIterable<ResponseDelta>;
  generate(request: Request, options: CallOptions): Promise<Response>;
}

type Stream = LanguageModel['stream'];
type Generate = LanguageModel['generate'];

/** What an adapter has to bring: one of the two ways to ask. A stream that is none says so with `streams`. */
export type LanguageModelSource = Pick<LanguageModel, 'name' | 'streams'> &
  (
    | { readonly stream: Stream; readonly generate?: undefined }
    | { readonly generate: Generate; readonly stream?: undefined }
  );

/** Puts something around a model: retries, logging, a cache. */
export type LanguageModelWrapper = (next: LanguageModel) => LanguageModel;

/**
 * A model from one way to ask; the other is derived. Both hold the contract of the seam whatever the
 * source does: requests are checked first, cancellation keeps its identity, a cut stream is an error.
 *
 * Contract of the source: it watches `signal`, and releases its connection when its iterator is left.
 */
export function languageModel(source: LanguageModelSource): LanguageModel {
  const stream = source.stream ?? streamFrom(source.generate);
  const isWhole = source.stream === undefined || source.streams === false;
  return {
    name: source.name,
    ...(isWhole && { streams: false }),
    stream: (request, options) => guardedStream(stream, request, options),
    generate: (request, options) =>
      source.generate === undefined
        ? accumulate(guardedStream(stream, request, options))
        : guardedGenerate(source.generate, request, options),
  };
}

/**
 * The model inside all wrappers; the first is outermost, absent ones are skipped. Around a model that cannot
 * stream nothing can.
 * @throws TypeError when a wrapper answers with no model; and what a wrapper throws
 */
export function wrapLanguageModel(
  model: LanguageModel,
  ...wrappers: readonly (LanguageModelWrapper | undefined)[]
): LanguageModel {
  return wrappers.reduceRight((next, wrap) => {
    if (wrap === undefined) return next;
    const wrapped = wrap(next);
    // Wrappers are written by anyone.
    if (typeof wrapped?.stream !== 'function') {
      throw new TypeError(`a wrapper of model ${next.name} returned no model`);
    }
    return next.streams === false && wrapped.streams !== false ? inOnePiece(wrapped) : wrapped;
  }, model);
}

function inOnePiece(model: LanguageModel): LanguageModel {
  return {
    name: model.name,
    streams: false,
    stream: (request, options) => model.stream(request, options),
    generate: (request, options) => model.generate(request, options),
  };
}

async function* guardedStream(
  stream: Stream,
  request: Request,
  options: CallOptions,
): AsyncGenerator<ResponseDelta, void, undefined> {
  const { signal } = options;
  assertRequest(request);
  signal.throwIfAborted();
  let outputStarted = false;
  let isFinished = false;
  try {
    for await (const delta of stream(request, options)) {
      signal.throwIfAborted();
      outputStarted ||= delta.parts !== undefined;
      isFinished ||= delta.finishReason !== undefined;
      yield delta;
    }
  } catch (error) {
    // Whatever a transport makes of an abort, the caller gets the reason it gave.
    signal.throwIfAborted();
    throw error;
  }
  if (isFinished) return;
  // Streams of provider SDKs end silently on an abort and on a closed connection alike.
  signal.throwIfAborted();
  throw new ModelError('the stream ended without a finish reason', {
    kind: 'stream_cut',
    outputStarted,
  });
}

async function guardedGenerate(
  generate: Generate,
  request: Request,
  options: CallOptions,
): Promise<Response> {
  assertRequest(request);
  options.signal.throwIfAborted();
  try {
    return await generate(request, options);
  } catch (error) {
    options.signal.throwIfAborted();
    throw error;
  }
}

async function accumulate(deltas: AsyncIterable<ResponseDelta>): Promise<Response> {
  const accumulator = createAccumulator();
  try {
    for await (const delta of deltas) accumulator.add(delta);
    return accumulator.response();
  } catch (error) {
    // A refused request is the caller's to repair; only what the provider sent is a failed call.
    if (!isChatError(error) || error.code !== 'invalid_response') throw error;
    throw new ModelError(
      `the provider's stream is invalid: ${error.message}`,
      { kind: 'invalid_response', outputStarted: accumulator.message() !== undefined },
      { cause: error },
    );
  }
}

function streamFrom(generate: Generate): Stream {
  return async function* (request, options) {
    yield toDelta(createResponse(await generate(request, options)));
  };
}
