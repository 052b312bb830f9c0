/** The streaming skeleton of every provider: an adapter brings only what its API does differently. */
import { ChatError } from '../../chat/chat-error.ts';
import type { SequencingProblem } from '../../chat/check-sequencing.ts';
import type { CallOptions, LanguageModel } from '../../chat/language-model.ts';
import { languageModel } from '../../chat/language-model.ts';
import { ModelError } from '../../chat/model-error.ts';
import type { ReportEntry } from '../../chat/report.ts';
import type { Request } from '../../chat/request.ts';
import type { ResponseDelta } from '../../chat/response-delta.ts';
import { assertSequencing } from './assert-sequencing.ts';
import { createIdleTimeout } from './idle-timeout.ts';
import type { SdkErrors } from './to-model-error.ts';
import { toModelError } from './to-model-error.ts';

/** Where a model is and how to reach it. */
export interface AdapterOptions {
  /** The provider's name of the model; a request may name another. */
  readonly model: string;
  readonly apiKey: string;
  /** Default: the provider's own. */
  readonly baseURL?: string;
  readonly fetch?: typeof globalThis.fetch;
  /**
   * How long the provider may stay silent, before the first event and between any two. Default 60,000:
   * longer than the pauses of a working stream, short enough that a dead one is noticed.
   */
  readonly idleTimeoutMs?: number;
}

/** The idle timeout is the only clock, so an SDK's own waits as long as a timer can. */
export const noSdkTimeoutMs = 2_147_483_647;

/** A step of the reader: what it knows now, and what can be passed on. */
export interface ReadStep<State> {
  readonly state: State;
  readonly delta?: ResponseDelta;
}

/**
 * One API in the skeleton's terms. Everything but `open` is pure.
 *
 * Contract: `read` and `end` throw ModelErrors, `toBody` throws ChatErrors.
 */
export interface ModelAdapter<Body, State> {
  /** In errors, and before the colon of the model's name. */
  readonly provider: string;
  /** What may be wrong between calls and results without the API minding. */
  readonly tolerated: ReadonlySet<SequencingProblem>;
  readonly sdkErrors: SdkErrors;
  /** Writes the request; `report` tells what of it is not in the body. */
  toBody(request: Request): { readonly body: Body; readonly report: readonly ReportEntry[] };
  /** Sends it. The events are read once, and released by ending their iteration or by the signal. */
  open(
    body: Body,
    signal: AbortSignal,
  ): Promise<{ readonly events: AsyncIterable<unknown>; readonly response: Response }>;
  readonly initialState: State;
  /** Reads one event; the delta is absent where it says nothing that can be passed on yet. */
  read(state: State, event: unknown): ReadStep<State>;
  /** True once the answer is whole, whatever happens to the connection. */
  isFinished(state: State): boolean;
  /** True once nothing more can come that is worth waiting for. */
  isComplete(state: State): boolean;
  /** The terminal delta; throws `stream_cut` where the answer is not whole. */
  end(state: State): { readonly delta: ResponseDelta; readonly report: readonly ReportEntry[] };
}

/**
 * How long the end of the body is waited for after a complete answer. Read to its end a connection can be
 * used again; it follows at once from a working server, and saves less than a second when it does.
 */
const endOfBodyMs = 1000;

/**
 * A model that streams always; `generate` is the stream put together. Retries are left to the caller.
 *
 * Contract: throws ChatError before any I/O for a request the API cannot express, the reason of the
 * caller's signal when that aborts, and ModelError for everything else.
 */
export function adapterModel<Body, State>(
  adapter: ModelAdapter<Body, State>,
  { model, idleTimeoutMs = 60_000 }: Pick<AdapterOptions, 'model' | 'idleTimeoutMs'>,
): LanguageModel {
  async function* stream(
    request: Request,
    { signal, report: tell }: CallOptions,
  ): AsyncIterable<ResponseDelta> {
    assertSequencing(request.messages, adapter.tolerated);
    const { body, report } = adapter.toBody(request);
    for (const entry of report) tell?.(entry);

    const idle = createIdleTimeout(signal);
    let state = adapter.initialState;
    let responded = false;
    let outputStarted = false;
    try {
      idle.arm(idleTimeoutMs);
      try {
        const { events, response } = await adapter.open(body, idle.signal);
        responded = true;
        assertEventStream(response);
        for await (const event of events) {
          // What follows a complete answer is only read to reach the end of the body.
          if (adapter.isComplete(state)) continue;
          idle.disarm();
          const read = adapter.read(state, event);
          state = read.state;
          if (read.delta !== undefined) {
            outputStarted ||= read.delta.parts !== undefined;
            yield read.delta;
          }
          idle.arm(
            adapter.isComplete(state) ? Math.min(endOfBodyMs, idleTimeoutMs) : idleTimeoutMs,
          );
        }
      } catch (error) {
        // After the finish reason the answer is whole; only usage may be missing.
        if (signal.aborted || !adapter.isFinished(state)) throw error;
      } finally {
        idle.disarm();
      }
      // SDK iterators also end without a word on abort and when the connection closes early.
      signal.throwIfAborted();
      if (idle.expired && !adapter.isFinished(state)) throw silent(idleTimeoutMs);
      const end = adapter.end(state);
      for (const entry of end.report) tell?.(entry);
      yield end.delta;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ChatError) throw error;
      const cause = idle.expired && !(error instanceof ModelError) ? silent(idleTimeoutMs) : error;
      const { provider, sdkErrors } = adapter;
      const now = Date.now();
      throw toModelError(cause, { provider, sdkErrors, responded, outputStarted, now });
    } finally {
      idle.dispose();
    }
  }

  return languageModel({ name: `${adapter.provider}:${model}`, stream });
}

/** A proxy's page, or an answer that ignored `stream`, would read as an empty stream. */
function assertEventStream({ headers, status }: Response): void {
  const type = headers.get('content-type');
  if (type === null || type.includes('text/event-stream')) return;
  const requestId = headers.get('x-request-id') ?? headers.get('request-id') ?? undefined;
  throw new ModelError(
    `the provider answered with ${type} instead of an event stream; is the base URL right?`,
    // A wrong address stays wrong: trying again would only hide it.
    { kind: 'invalid_response', retryable: false, status, requestId },
  );
}

function silent(idleTimeoutMs: number): ModelError {
  return new ModelError(`the provider sent nothing for ${idleTimeoutMs} ms`, { kind: 'timeout' });
}
