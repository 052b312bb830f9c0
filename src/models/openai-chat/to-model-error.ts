/** Maps whatever the SDK or the transport throws to a ModelError: what happened, and whether to try again. */
import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import type { ModelErrorDetails, ModelErrorKind } from '../../chat/model-error.ts';
import { ModelError } from '../../chat/model-error.ts';
import { membersOf } from './members-of.ts';
import { retryAfterMs } from './retry-after.ts';

/** What the adapter knows when the error arrives. */
interface ErrorContext {
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
  const { outputStarted } = context;
  return new ModelError(
    message,
    { ...details, provider: 'openai-chat', outputStarted },
    { cause: error },
  );
}

type Description = ModelErrorDetails & { readonly message: string };

function describe(error: unknown, context: ErrorContext): Description {
  if (error instanceof ModelError) return { ...error, message: error.message };
  if (error instanceof APIConnectionTimeoutError) {
    return { kind: 'timeout', message: 'the provider did not answer in time' };
  }
  if (error instanceof APIError && !(error instanceof APIConnectionError)) {
    return describeApiError(error, context.now);
  }
  if (error instanceof SyntaxError) {
    return { kind: 'invalid_response', message: 'the provider sent an event that is not JSON' };
  }
  if (error instanceof Error) return describeTransport(error, context.responded);
  return { kind: 'unknown', message: 'the call failed for an unknown reason' };
}

/** An answer with an error status, or an error object inside the stream (no status then). */
function describeApiError(error: APIError, now: number): Description {
  const body = membersOf(error.error);
  const status = error.status ?? statusIn(body);
  const code = text(error.code) ?? text(body?.['code']);
  const providerType = text(error.type) ?? text(body?.['type']);
  const kind = kindOf(status, code, providerType, error.message);
  return {
    kind,
    message: shown(error, body),
    retryable: saidRetryable(code, error.headers),
    status,
    providerType,
    code,
    requestId: error.requestID ?? undefined,
    retryAfterMs: retryAfterMs(error.headers, now),
  };
}

const tooLong = /maximum context length|context[ _](length|window)|prompt is too long/i;

function kindOf(
  status: number | undefined,
  code: string | undefined,
  providerType: string | undefined,
  message: string,
): ModelErrorKind {
  const names = `${code ?? ''} ${providerType ?? ''}`;
  if (names.includes('context_length_exceeded')) return 'context_too_long';
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

/** An error inside a stream has no status; what names nothing known is a fault of the server. */
function kindByName(names: string, message: string): ModelErrorKind {
  if (/rate_limit|insufficient_quota|too_many_requests/.test(names)) return 'rate_limited';
  if (/overloaded|unavailable/.test(names)) return 'overloaded';
  if (/timeout/.test(names)) return 'timeout';
  if (/api_key|authentication/.test(names)) return 'authentication';
  if (/permission/.test(names)) return 'permission';
  if (/not_found/.test(names)) return 'not_found';
  if (tooLong.test(message)) return 'context_too_long';
  if (/invalid_request/.test(names)) return 'bad_request';
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
function shown(error: APIError, body: Readonly<Record<string, unknown>> | undefined): string {
  if (body === undefined && /<(!doctype|html|head|body)/i.test(error.message)) {
    return `${error.status ?? ''} the provider answered with a web page instead of JSON`.trim();
  }
  return error.message
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
