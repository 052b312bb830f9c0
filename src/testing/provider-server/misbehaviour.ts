/** The ways in which a local provider server can fail a call. */

/** One thing that goes wrong with one call. Counts of chunks count SSE events, also those that say nothing yet. */
export type Misbehaviour =
  /** Waits before the headers and before each chunk. */
  | { readonly kind: 'slow'; readonly beforeMs?: number; readonly betweenMs?: number }
  /** Sends the first chunks, then nothing more; the connection stays open. Without `afterChunks` not even headers. */
  | { readonly kind: 'stall'; readonly afterChunks?: number }
  /** Sends the first chunks, then destroys the socket. */
  | { readonly kind: 'cut'; readonly afterChunks: number }
  /** Answers with an HTTP status and an error body in the API's shape. */
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
  /** Sends the content and ends the body properly, without anything that ends an answer. */
  | { readonly kind: 'no_terminal' }
  /** Sends the first chunks, then an error inside the stream. */
  | {
      readonly kind: 'error_in_stream';
      readonly afterChunks?: number;
      readonly error?: Partial<WireError>;
    }
  /** Closes the connection before any header. */
  | { readonly kind: 'drop' };

/** What a provider says of an error. An API leaves out the members that it does not have. */
export interface WireError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}
