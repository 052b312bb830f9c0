/** The Responses API, as a local server speaks it. */
import type { WireError } from '../provider-server/misbehaviour.ts';
import type { SpokenError, SpokenErrorKind, WireFormat } from '../provider-server/wire-format.ts';
import { sseEvent } from '../provider-server/wire-text.ts';
import { readOpenAiResponsesRequest } from './read-openai-responses-request.ts';

/** Bearer keys, events with names; the terminal event is the last one. */
export const openAiResponsesFormat: WireFormat = {
  basePath: '/v1',
  path: '/v1/responses',
  requestIdHeader: 'x-request-id',
  keyIn: ({ authorization }) => /^Bearer (.*)$/.exec(authorization ?? '')?.[1],
  readRequest: readOpenAiResponsesRequest,
  errorOf: (kind) => spoken[kind],
  errorBody,
  errorEvent: (status, given) => {
    // The event has no type of error, so the code alone says what happened.
    const { code, message, param } = errorBody(status, given).error;
    return sseEvent({ type: 'error', code, message, param, sequence_number: 0 }, 'error');
  },
  malformedEvent: 'event: response.output_text.delta\ndata: {"type":"response.\n\n',
};

const spoken: Readonly<Record<SpokenErrorKind, SpokenError>> = {
  rate_limited: { status: 429, type: 'requests', code: 'rate_limit_exceeded' },
  overloaded: { status: 503, type: 'service_unavailable_error', code: 'server_is_overloaded' },
  timeout: { status: 504, type: 'timeout', code: 'timeout' },
  server: { status: 500, type: 'server_error', code: 'server_error' },
  authentication: { status: 401, type: 'invalid_request_error', code: 'invalid_api_key' },
  permission: { status: 403, type: 'permission_error', code: 'permission_denied' },
  not_found: { status: 404, type: 'invalid_request_error', code: 'model_not_found' },
  bad_request: { status: 400, type: 'invalid_request_error', code: 'invalid_prompt' },
  context_too_long: {
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
  },
  unknown: { status: 500, type: 'server_error', code: null },
};

function errorBody(status: number, given: Partial<WireError>): { error: WireError } {
  const { type, code } = known[status] ?? fallback(status);
  return { error: { message: `Scripted failure ${status}`, type, param: null, code, ...given } };
}

const known: Readonly<Record<number, { type: string; code: string | null }>> = {
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  404: { type: 'invalid_request_error', code: 'model_not_found' },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
};

function fallback(status: number): { type: string; code: string | null } {
  return status >= 500
    ? { type: 'server_error', code: 'server_error' }
    : { type: 'invalid_request_error', code: null };
}
