/** The Anthropic Messages API, as a local server speaks it. */
import type { WireError } from '../provider-server/misbehaviour.ts';
import type { SpokenError, SpokenErrorKind, WireFormat } from '../provider-server/wire-format.ts';
import { sseEvent } from '../provider-server/wire-text.ts';
import { readAnthropicRequest } from './read-anthropic-request.ts';

/** Keys in either header, events with names, nothing after `message_stop`. */
export const anthropicFormat: WireFormat = {
  basePath: '',
  path: '/v1/messages',
  requestIdHeader: 'request-id',
  keyIn: ({ authorization, 'x-api-key': key }) =>
    typeof key === 'string' ? key : /^Bearer (.*)$/.exec(authorization ?? '')?.[1],
  readRequest: readAnthropicRequest,
  errorOf: (kind) => spoken[kind],
  errorBody,
  errorEvent: (status, given) => sseEvent(errorBody(status, given), 'error'),
  malformedEvent: 'event: content_block_delta\ndata: {"type":"content_block_\n\n',
};

const spoken: Readonly<Record<SpokenErrorKind, SpokenError>> = {
  rate_limited: { status: 429, type: 'rate_limit_error', code: null },
  overloaded: { status: 529, type: 'overloaded_error', code: null },
  timeout: { status: 504, type: 'timeout_error', code: null },
  server: { status: 500, type: 'api_error', code: null },
  authentication: { status: 401, type: 'authentication_error', code: null },
  permission: { status: 403, type: 'permission_error', code: null },
  not_found: { status: 404, type: 'not_found_error', code: null },
  bad_request: { status: 400, type: 'invalid_request_error', code: null },
  context_too_long: {
    status: 400,
    type: 'invalid_request_error',
    code: null,
    message: 'prompt is too long: 210000 tokens > 200000 maximum',
  },
  unknown: { status: 500, type: 'api_error', code: null },
};

/** The type of an error by its status; others are the server's or the request's fault. */
const typeByStatus: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function errorBody(status: number, given: Partial<WireError>): object {
  const fallback = status >= 500 ? 'api_error' : 'invalid_request_error';
  const { message = `Scripted failure ${status}`, type, code } = given;
  return {
    type: 'error',
    error: {
      type: type ?? typeByStatus[status] ?? fallback,
      message,
      ...(code == null ? {} : { details: { error_code: code } }),
    },
  };
}
