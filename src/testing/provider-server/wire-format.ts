/** What the local provider server must know of one API to speak it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ModelErrorKind } from '../../chat/model-error.ts';
import type { Request } from '../../chat/request.ts';
import type { ResolvedAnswer } from '../../models/scripted.ts';
import type { WireError } from './misbehaviour.ts';

/** One provider's API. */
export interface WireFormat {
  /** Added to the server's origin to make the base URL that clients are given: `/v1`, or nothing. */
  readonly basePath: string;
  /** The whole path of calls. */
  readonly path: string;
  /** Response header that names a call. */
  readonly requestIdHeader: string;
  /** The key that a client shows; undefined where it shows none. */
  keyIn(headers: IncomingHttpHeaders): string | undefined;
  /** @throws Error for a body that is no request of this API */
  readRequest(body: string): WireRequest;
  /** How the API says a failure of this kind. */
  errorOf(kind: SpokenErrorKind): SpokenError;
  /** An error body with plausible members for the status where they are not given. */
  errorBody(status: number, given: Partial<WireError>): object;
  /** The same as an event inside a stream, as SSE text. */
  errorEvent(status: number, given: Partial<WireError>): string;
  /** An event, as SSE text, whose data breaks off in the middle. */
  readonly malformedEvent: string;
}

/** One call, read as far as a script must know it to choose its answer. */
export interface WireRequest {
  readonly model: string;
  /** The client asked for a stream. */
  readonly stream: boolean;
  /** Roles, texts, calls, results and tools; other content stands as its type in brackets. */
  readonly request: Request;
  /**
   * The scripted answer as this client asked for it.
   * @param seed decides the ids: the same seed gives the same bytes
   */
  answer(scripted: ResolvedAnswer, seed: string): WireAnswer;
}

/** An answer in the API's two forms. */
export interface WireAnswer {
  /** All events of the stream; only the last `terminalEvents` tell that the answer is whole. */
  readonly events: readonly WireEvent[];
  readonly terminalEvents: number;
  /** SSE text after the events that is no part of the answer, such as `data: [DONE]`. */
  readonly closing: readonly string[];
  /** The answer in one piece. */
  readonly body: object;
}

/** One event of a stream. */
export interface WireEvent {
  /** As SSE text, with the blank line at its end. */
  readonly text: string;
  /** Whether it carries a piece of what the script says, and not only frames it. */
  readonly isDelta: boolean;
}

/** Failures that an API says in words; the others are said by what is not sent. */
export type SpokenErrorKind = Exclude<
  ModelErrorKind,
  'connection' | 'stream_cut' | 'invalid_response'
>;

/** A failure in the API's words. */
export interface SpokenError {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  /** Where the API tells the kind by its words alone. */
  readonly message?: string;
}
