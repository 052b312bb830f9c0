/** Which ModelError each failure of the SDK and the transport becomes, without a server. */
import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { describe, expect, it } from 'vitest';
import type { ModelErrorKind } from '../../../src/chat/model-error.ts';
import { ModelError } from '../../../src/chat/model-error.ts';
import { retryAfterMs } from '../../../src/models/adapter/retry-after.ts';
import { toModelError } from '../../../src/models/adapter/to-model-error.ts';
import { openAiErrors } from '../../../src/models/openai/openai-client.ts';

const ours = { provider: 'openai-chat', sdkErrors: openAiErrors, now: 0 };
const before = { ...ours, responded: false, outputStarted: false };
const inside = { ...ours, responded: true, outputStarted: true };

const answered = (status: number, error: object = {}, headers: Record<string, string> = {}) =>
  APIError.generate(status, { error }, undefined, new Headers(headers));
const inStream = (error: object | undefined) =>
  new APIError(undefined, error, undefined, new Headers({ 'x-request-id': 'r1' }));
const broken = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });

describe('a status', () => {
  it.each<[number, object, ModelErrorKind, boolean]>([
    [400, {}, 'bad_request', false],
    [400, { code: 'context_length_exceeded' }, 'context_too_long', false],
    [
      400,
      { message: "This model's maximum context length is 8 tokens" },
      'context_too_long',
      false,
    ],
    [401, { code: 'invalid_api_key' }, 'authentication', false],
    [402, {}, 'bad_request', false],
    [403, {}, 'permission', false],
    [404, { code: 'model_not_found' }, 'not_found', false],
    [408, {}, 'timeout', true],
    [409, {}, 'server', true],
    [413, {}, 'bad_request', false],
    [422, {}, 'bad_request', false],
    [429, {}, 'rate_limited', true],
    [429, { code: 'insufficient_quota' }, 'rate_limited', false],
    [500, {}, 'server', true],
    [500, { type: 'overloaded_error' }, 'overloaded', true],
    [502, {}, 'server', true],
    [503, {}, 'overloaded', true],
    [504, {}, 'timeout', true],
    [529, {}, 'overloaded', true],
  ])('%i with %j is %s, retryable: %s', (status, body, kind, retryable) => {
    expect(toModelError(answered(status, body), before)).toMatchObject({ kind, retryable, status });
  });

  it('carries what the provider said about itself', () => {
    const error = answered(
      429,
      { message: 'Slow down', type: 'requests', code: 'rate_limit_exceeded' },
      { 'retry-after': '7', 'x-request-id': 'req_1' },
    );
    expect({ ...toModelError(error, before) }).toEqual({
      name: 'ModelError',
      kind: 'rate_limited',
      status: 429,
      providerType: 'requests',
      code: 'rate_limit_exceeded',
      requestId: 'req_1',
      retryAfterMs: 7000,
      retryable: true,
      outputStarted: false,
      provider: 'openai-chat',
    });
  });

  it.each([
    [400, 'true', true],
    [503, 'false', false],
  ])('%i with x-should-retry: %s is retryable: %s', (status, said, retryable) => {
    expect(toModelError(answered(status, {}, { 'x-should-retry': said }), before)).toMatchObject({
      retryable,
    });
  });
});

describe('an error object inside the stream', () => {
  it.each<[object | undefined, ModelErrorKind]>([
    [{ type: 'server_error', code: null, message: 'x' }, 'server'],
    [{ type: 'overloaded_error' }, 'overloaded'],
    [{ code: 'rate_limit_exceeded' }, 'rate_limited'],
    [{ type: 'timeout' }, 'timeout'],
    [{ code: 'invalid_api_key' }, 'authentication'],
    [{ type: 'permission_error' }, 'permission'],
    [{ code: 'model_not_found' }, 'not_found'],
    [{ code: 'context_length_exceeded' }, 'context_too_long'],
    [{ type: 'invalid_request_error', message: 'prompt is too long' }, 'context_too_long'],
    [{ type: 'invalid_request_error', message: 'x' }, 'bad_request'],
    [{ code: 429, message: 'upstream' }, 'rate_limited'],
    [{ code: 502, message: 'upstream' }, 'server'],
    [{ type: 'billing_error' }, 'bad_request'],
    [{ type: 'request_too_large' }, 'bad_request'],
    [{ message: 'x' }, 'server'],
    // An SDK may hand over the error with the body around it.
    [{ type: 'error', error: { type: 'overloaded_error', message: 'x' } }, 'overloaded'],
    [{ type: 'error', error: { type: 'timeout_error', message: 'x' } }, 'timeout'],
    [undefined, 'server'],
  ])('%j is %s', (error, kind) => {
    expect(toModelError(inStream(error), inside)).toMatchObject({
      kind,
      outputStarted: true,
      requestId: 'r1',
    });
  });
});

it('names the error inside the body, not the event around it', () => {
  const body = {
    type: 'error',
    error: { type: 'api_error', message: 'Slow', details: { error_code: 'busy' } },
  };
  expect(toModelError(inStream(body), inside)).toMatchObject({
    message: 'Slow',
    providerType: 'api_error',
    code: 'busy',
  });
  expect(toModelError(inStream({ type: 'error', message: 'x' }), inside).providerType).toBe(
    undefined,
  );
});

describe('the connection', () => {
  it.each<[unknown, typeof before, ModelErrorKind, string | undefined]>([
    [
      new APIConnectionError({ cause: broken('ECONNREFUSED') }),
      before,
      'connection',
      'ECONNREFUSED',
    ],
    [new APIConnectionError({ cause: broken('ECONNRESET') }), before, 'connection', 'ECONNRESET'],
    [new APIConnectionError({ cause: broken('ENOTFOUND') }), before, 'connection', 'ENOTFOUND'],
    [broken('UND_ERR_SOCKET'), inside, 'stream_cut', 'UND_ERR_SOCKET'],
    [broken('ETIMEDOUT'), inside, 'timeout', 'ETIMEDOUT'],
    [broken('UND_ERR_BODY_TIMEOUT'), inside, 'timeout', 'UND_ERR_BODY_TIMEOUT'],
    [new APIConnectionTimeoutError(), before, 'timeout', undefined],
    [new Error('odd'), before, 'connection', undefined],
    [new SyntaxError('odd'), inside, 'invalid_response', undefined],
  ])('%s is %s', (error, context, kind, code) => {
    const mapped = toModelError(error, context);
    expect(mapped).toMatchObject({ kind, retryable: true, cause: error });
    expect(mapped.code).toBe(code);
  });

  it('with a chain of causes that leads to itself still maps', () => {
    const error = new Error('odd');
    error.cause = error;
    expect(toModelError(error, before).kind).toBe('connection');
  });
});

describe('anything else', () => {
  it('that was thrown is unknown and not retryable', () => {
    expect(toModelError('odd', before)).toMatchObject({ kind: 'unknown', retryable: false });
  });

  it('that is a ModelError keeps what it says', () => {
    const error = new ModelError('cut', { kind: 'stream_cut', status: 200, requestId: 'r' });
    expect(toModelError(error, inside)).toMatchObject({
      message: 'cut',
      kind: 'stream_cut',
      status: 200,
      requestId: 'r',
      retryable: true,
      outputStarted: true,
    });
  });
});

describe('the message', () => {
  it('holds no web page', () => {
    const page = APIError.generate(502, undefined, '<!DOCTYPE html><html>…', new Headers());
    expect(toModelError(page, before).message).toBe(
      '502 the provider answered with a web page instead of JSON',
    );
  });

  it('holds no key, and not more than 500 characters', () => {
    const error = answered(401, {
      message: `Incorrect key sk-proj_abcd***wxyz ${'x'.repeat(900)}`,
    });
    const { message } = toModelError(error, before);
    expect(message).not.toContain('abcd');
    expect(message).not.toContain('wxyz');
    expect(message).toHaveLength(500);
  });
});

describe('retry-after', () => {
  const now = Date.parse('2026-11-30T00:00:00Z');
  it.each<[Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Mon, 30 Nov 2026 00:00:09 GMT' }, 9000],
    [{ 'retry-after': 'Sun, 29 Nov 2026 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': '-3' }, undefined],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after-ms': 'x', 'retry-after': '9' }, 9000],
  ])('%j is %s ms', (headers, ms) => {
    expect(retryAfterMs(new Headers(headers), now)).toBe(ms);
  });
});
