/** Chat Completions, as a local server speaks it. */
import type { WireError } from '../provider-server/misbehaviour.ts';
import type { SpokenError, SpokenErrorKind, WireFormat } from '../provider-server/wire-format.ts';
import { sseEvent } from '../provider-server/wire-text.ts';
import { readOpenAiChatRequest } from './read-openai-chat-request.ts';

/** Bearer keys, events without names, `[DONE]` at the end. */
export const openAiChatFormat: WireFormat = {
  basePath: '/v1',
  path: '/v1/chat/completions',
  requestIdHeader: 'x-request-id',
  keyIn: ({ authorization }) => /^Bearer (.*)$/.exec(authorization ?? '')?.[1],
  readRequest: readOpenAiChatRequest,
  errorOf: (kind) => spoken[kind],
  errorBody,
  errorEvent: (status, given) => sseEvent(errorBody(status, given)),
  malformedEvent: 'data: {"id":"chatcmpl-\n\n',
};

const spoken: Readonly<Record<SpokenErrorKind, SpokenError>> = {
  rate_limited: { status: 429, type: 'requests', code: 'rate_limit_exceeded' },
  overloaded: { status: 503, type: 'overloaded_error', code: null },
  timeout: { status: 504, type: 'timeout', code: null },
  server: { status: 500, type: 'server_error', code: null },
  authentication: { status: 401, type: 'invalid_request_error', code: 'invalid_api_key' },
  permission: { status: 403, type: 'permission_error', code: null },
  not_found: { status: 404, type: 'invalid_request_error', code: 'model_not_found' },
  bad_request: { status: 400, type: 'invalid_request_error', code: null },
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
  return { type: status >= 500 ? 'server_error' : 'invalid_request_error', code: null };
}
