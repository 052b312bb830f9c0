/** Makes the local Chat Completions server fail where a script says that the model fails. */
import type { ModelErrorKind } from '../chat/model-error.ts';
import type { ResolvedAnswer, ScriptedError } from '../models/scripted.ts';
import type { Misbehaviour, WireError } from './openai-chat-misbehaviour.ts';
import type { WireAnswer } from './openai-chat-plan.ts';

/** Failures that the API says in words; the others are said by what is not sent. */
type SpokenKind = Exclude<ModelErrorKind, 'connection' | 'stream_cut' | 'invalid_response'>;

const words: Readonly<Record<SpokenKind, Pick<WireError, 'type' | 'code'> & { status: number }>> = {
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

/** What goes wrong with a scripted answer by its own script; undefined when it comes to its end. */
export function scriptedMisbehaviour(
  scripted: ResolvedAnswer,
  answer: WireAnswer,
): Misbehaviour | undefined {
  // The role chunk is no delta of the script.
  if (scripted.stallAfter !== undefined)
    return { kind: 'stall', afterChunks: scripted.stallAfter + 1 };
  if (scripted.error === undefined) return undefined;
  const afterChunks = answer.chunks.length - answer.terminalChunks;
  return failure(scripted.error, afterChunks);
}

function failure(given: ScriptedError, afterChunks: number): Misbehaviour {
  const { kind, message, retryAfterMs } = given;
  if (kind === 'connection' && afterChunks === 1) return { kind: 'drop' };
  if (kind === 'connection' || kind === 'stream_cut') return { kind: 'cut', afterChunks };
  if (kind === 'invalid_response') return { kind: 'malformed', afterChunks };
  const { type, code, status } = words[kind];
  const error = {
    type: given.providerType ?? type,
    code: given.code ?? code,
    ...(message === undefined ? {} : { message }),
  };
  // With nothing but the role chunk there was no output: the call fails as a whole.
  if (afterChunks > 1) return { kind: 'error_in_stream', afterChunks, error };
  const headers = retryAfterMs === undefined ? {} : { 'retry-after-ms': String(retryAfterMs) };
  return { kind: 'status', status: given.status ?? status, headers, error };
}
