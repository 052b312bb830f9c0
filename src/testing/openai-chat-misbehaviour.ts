/** The ways in which the local Chat Completions server can fail a call. */

/** One thing that goes wrong with one call. Counts of chunks count SSE events, the role chunk included. */
export type Misbehaviour =
  /** Waits before the headers and before each chunk. */
  | { readonly kind: 'slow'; readonly beforeMs?: number; readonly betweenMs?: number }
  /** Sends the first chunks, then nothing more; the connection stays open. Without `afterChunks` not even headers. */
  | { readonly kind: 'stall'; readonly afterChunks?: number }
  /** Sends the first chunks, then destroys the socket. */
  | { readonly kind: 'cut'; readonly afterChunks: number }
  /** Answers with an HTTP status and an error body in OpenAI's shape. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly error?: Partial<WireError>;
    }
  /** Answers with a web page, as proxies do. */
  | { readonly kind: 'html'; readonly status?: number }
  /** Sends the first chunks, then an event whose data is not JSON. */
  | { readonly kind: 'malformed'; readonly afterChunks?: number }
  /** Sends the content and ends the body properly, without finish reason, usage or `[DONE]`. */
  | { readonly kind: 'no_terminal' }
  /** Sends the first chunks, then an error object inside the stream. */
  | {
      readonly kind: 'error_in_stream';
      readonly afterChunks?: number;
      readonly error?: Partial<WireError>;
    }
  /** Closes the connection before any header. */
  | { readonly kind: 'drop' };

/** The error object of OpenAI's API. */
export interface WireError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** An error body as the API sends it, with plausible members for the status. */
export function wireError(status: number, given: Partial<WireError> = {}): { error: WireError } {
  const { type, code } = known[status] ?? fallback(status);
  return { error: { message: `Scripted failure ${status}`, type, param: null, code, ...given } };
}

const known: Readonly<Record<number, { type: string; code: string | null }>> = {
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  404: { type: 'invalid_request_error', code: 'model_not_found' },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
};

function fallback(status: number): { type: string; code: string | null } {
  return { type: status >= 500 ? 'server_error' : 'invalid_request_error', code: null };
}
