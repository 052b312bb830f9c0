/** Maps whatever the SDK or the transport throws to a ModelError: what happened, and whether to try again. */
import type { ModelErrorDetails, ModelErrorKind } from '../../chat/model-error.ts';
import { ModelError } from '../../chat/model-error.ts';
import { membersOf } from './members-of.ts';
import { retryAfterMs } from './retry-after.ts';

/** An answer with an error status, or an error object inside the stream (no status then). */
interface ApiError extends Error {
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
  readonly error: unknown;
  readonly requestID?: string | null | undefined;
}

type ErrorClass<Thrown extends Error> = abstract new (...args: never) => Thrown;

/** The error classes of a provider's SDK; connection errors may be API errors too. */
export interface SdkErrors {
  readonly api: ErrorClass<ApiError>;
  readonly connection: ErrorClass<Error>;
  readonly timeout: ErrorClass<Error>;
}

/** What the adapter knows when the error arrives. */
interface ErrorContext {
  readonly provider: string;
  readonly sdkErrors: SdkErrors;
  /** The response had begun: a broken connection is now a cut stream. */
  readonly responded: boolean;
  /** Parts of the answer were passed on already. */
  readonly outputStarted: boolean;
  /** Milliseconds since the epoch, for retry dates. */
  readonly now: number;
}

/** Never throws; a ModelError keeps its kind. */
export function toModelError(error: unknown, context: ErrorContext): ModelError {
  const { message, ...details } = describe(error, context);
  const { provider, outputStarted } = context;
  return new ModelError(message, { ...details, provider, outputStarted }, { cause: error });
}

type Description = ModelErrorDetails & { readonly message: string };

function describe(error: unknown, { sdkErrors, responded, now }: ErrorContext): Description {
  if (error instanceof ModelError) return { ...error, message: error.message };
  if (error instanceof sdkErrors.timeout) {
    return { kind: 'timeout', message: 'the provider did not answer in time' };
  }
  if (error instanceof sdkErrors.api && !(error instanceof sdkErrors.connection)) {
    return describeApiError(error, now);
  }
  if (error instanceof SyntaxError) {
    return { kind: 'invalid_response', message: 'the provider sent an event that is not JSON' };
  }
  if (error instanceof Error) return describeTransport(error, responded);
  return { kind: 'unknown', message: 'the call failed for an unknown reason' };
}

/**
 * The error for an answer that its provider itself calls failed.
 * @param error the object that says why, alone or with the body around it
 * @param fallback the message where it has none
 */
export function toProviderError(error: unknown, fallback: string): ModelError {
  const { message, ...details } = describeApiError(
    { name: 'Error', message: fallback, status: undefined, headers: undefined, error },
    0,
  );
  return new ModelError(message, details);
}

function describeApiError(error: ApiError, now: number): Description {
  const body = errorObject(error);
  const status = error.status ?? statusIn(body);
  const code = text(body?.['code']) ?? text(membersOf(body?.['details'])?.['error_code']);
  const type = text(body?.['type']);
  // The error event of a stream is of the type "error", which says nothing.
  const providerType = type === 'error' ? undefined : type;
  const message = shown(error, body);
  return {
    kind: kindOf(status, code, providerType, message),
    message,
    retryable: saidRetryable(code, error.headers),
    status,
    providerType,
    code,
    requestId: error.requestID ?? undefined,
    retryAfterMs: retryAfterMs(error.headers, now),
  };
}

/** The object that names the error: some SDKs hand it over alone, others with the body around it. */
function errorObject(error: ApiError): Readonly<Record<string, unknown>> | undefined {
  const body = membersOf(error.error);
  return membersOf(body?.['error']) ?? body;
}

const tooLongCode = 'context_length_exceeded';
const tooLong = /maximum context length|context[ _](length|window)|prompt is too long/i;

function kindOf(
  status: number | undefined,
  code: string | undefined,
  providerType: string | undefined,
  message: string,
): ModelErrorKind {
  const names = `${code ?? ''} ${providerType ?? ''}`;
  if (names.includes(tooLongCode)) return 'context_too_long';
  switch (status) {
    case 401:
      return 'authentication';
    case 403:
      return 'permission';
    case 404:
      return 'not_found';
    case 408:
    case 504:
      return 'timeout';
    case 409:
      return 'server';
    case 429:
      return 'rate_limited';
    case 503:
    case 529:
      return 'overloaded';
    case undefined:
      return kindByName(names, message);
    default:
      if (status >= 500) return /overloaded/.test(names) ? 'overloaded' : 'server';
      if (status < 400) return 'unknown';
      return tooLong.test(message) ? 'context_too_long' : 'bad_request';
  }
}

/** What no other try of the same request cures, in the words of all providers. */
const faultsOfTheRequest =
  /invalid_(request|prompt|image|base64)|too_large|billing|image_|_image|_policy|data_residency/;

/**
 * The kind of an error that has no status, by its type and code; what names nothing known is a fault of
 * the server.
 */
export function kindByName(names: string, message: string): ModelErrorKind {
  if (names.includes(tooLongCode)) return 'context_too_long';
  if (/rate_limit|insufficient_quota|too_many_requests/.test(names)) return 'rate_limited';
  if (/overloaded|unavailable/.test(names)) return 'overloaded';
  if (/timeout/.test(names)) return 'timeout';
  if (/api_key|authentication/.test(names)) return 'authentication';
  if (/permission/.test(names)) return 'permission';
  if (/not_found/.test(names)) return 'not_found';
  if (tooLong.test(message)) return 'context_too_long';
  if (faultsOfTheRequest.test(names)) return 'bad_request';
  return 'server';
}

/** The server's own word; an exhausted quota is a 429 that waiting does not cure. Else the kind decides. */
function saidRetryable(
  code: string | undefined,
  headers: Headers | undefined,
): boolean | undefined {
  const said = headers?.get('x-should-retry');
  if (said === 'true') return true;
  return said === 'false' || code === 'insufficient_quota' ? false : undefined;
}

/** A connection that failed: before the response nothing is lost, after it the answer is incomplete. */
function describeTransport(error: Error, responded: boolean): Description {
  const code = codeIn(error);
  if (code?.endsWith('_TIMEOUT') || code === 'ETIMEDOUT') {
    return { kind: 'timeout', message: 'the connection to the provider timed out', code };
  }
  return responded
    ? { kind: 'stream_cut', message: 'the connection broke off inside the answer', code }
    : { kind: 'connection', message: 'the provider could not be reached', code };
}

/** The system's code, which the SDK and fetch bury under causes. */
function codeIn(error: Error): string | undefined {
  let at: unknown = error;
  // Five is deeper than fetch and the SDK nest, and ends the walk through a chain that leads to itself.
  for (let depth = 0; depth < 5 && at instanceof Error; depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    at = at instanceof AggregateError ? at.errors[0] : at.cause;
  }
  return undefined;
}

/** The provider's message without web pages and keys, at most 500 characters. */
function shown(error: ApiError, body: Readonly<Record<string, unknown>> | undefined): string {
  if (body === undefined && /<(!doctype|html|head|body)/i.test(error.message)) {
    return `${error.status ?? ''} the provider answered with a web page instead of JSON`.trim();
  }
  const said = body?.['message'];
  return withoutKeys(
    typeof said === 'string' && said !== ''
      ? `${error.status ?? ''} ${said}`.trim()
      : error.message,
  );
}

/** A provider's words without keys, at most 500 characters. */
export function withoutKeys(message: string): string {
  return message
    .replaceAll(/\b(sk|Bearer)[-\s][\w*.-]{4,}/g, '$1-…')
    .slice(0, 500)
    .toWellFormed();
}

/** Some gateways put the upstream's status into the code of an error object. */
function statusIn(body: Readonly<Record<string, unknown>> | undefined): number | undefined {
  const status = Number(body?.['status'] ?? body?.['code']);
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
