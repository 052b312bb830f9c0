/** A failed model call as data: what happened, and whether to try again. */

/** What kind of failure a model call met. */
export type ModelErrorKind =
  | 'rate_limited'
  | 'overloaded'
  | 'timeout'
  | 'connection'
  | 'stream_cut'
  | 'server'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'bad_request'
  | 'context_too_long'
  | 'invalid_response'
  | 'unknown';

/** The members of a {@link ModelError}; the two that have defaults may be left out. */
export interface ModelErrorDetails {
  readonly kind: ModelErrorKind;
  /** HTTP status. */
  readonly status?: number | undefined;
  /** The provider's own type and code of the error. */
  readonly providerType?: string | undefined;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Default: by kind, true for what time or another connection heals. */
  readonly retryable?: boolean | undefined;
  /** Whether a delta was seen before; a consumer must then start over. Default false. */
  readonly outputStarted?: boolean | undefined;
  readonly provider?: string | undefined;
}

/** An answer that breaks the protocol is sampled anew by a retry; an unknown failure may repeat for ever. */
const retryableKinds: ReadonlySet<ModelErrorKind> = new Set([
  'rate_limited',
  'overloaded',
  'timeout',
  'connection',
  'stream_cut',
  'server',
  'invalid_response',
]);

/**
 * A model call that failed.
 *
 * Contract: neither message nor members contain prompts or keys; the deciding about retries belongs to
 * the caller, `retryable` is advice.
 */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  readonly status?: number;
  readonly providerType?: string;
  readonly code?: string;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  readonly retryable: boolean;
  readonly outputStarted: boolean;
  readonly provider?: string;

  constructor(message: string, details: ModelErrorDetails, options?: ErrorOptions) {
    super(message, options);
    this.kind = details.kind;
    this.retryable = details.retryable ?? retryableKinds.has(details.kind);
    this.outputStarted = details.outputStarted ?? false;
    if (details.status !== undefined) this.status = details.status;
    if (details.providerType !== undefined) this.providerType = details.providerType;
    if (details.code !== undefined) this.code = details.code;
    if (details.requestId !== undefined) this.requestId = details.requestId;
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
    if (details.provider !== undefined) this.provider = details.provider;
  }
}
