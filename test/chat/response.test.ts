/** Citations, media, usage, outputs, responses and deltas. */
import { describe, expect, it } from 'vitest';
import { Citation } from '../../src/chat/citation.ts';
import { Media } from '../../src/chat/media.ts';
import { sameMetadata } from '../../src/chat/merge-metadata.ts';
import { Metadata } from '../../src/chat/metadata.ts';
import { createOutput, Output } from '../../src/chat/output.ts';
import { createResponse, Response, ResponseMetadata } from '../../src/chat/response.ts';
import { ResponseDelta } from '../../src/chat/response-delta.ts';
import { Usage, UsageTotal } from '../../src/chat/usage.ts';
import { addUsage, noUsage, totalTokens } from '../../src/chat/usage-total.ts';
import { accepts, hello, lone, refused } from './support.ts';

describe('a citation', () => {
  it.each([
    'https://example.com',
    'https://user@example.com:8080/a?b#c',
    'ftp://h',
    'http://[::1]:80/',
  ])('accepts %s', (value) => {
    expect(accepts(Citation, { source: { kind: 'uri', value } })).toBe(true);
  });

  it.each([
    'mailto:a@b.c',
    'data:,x',
    'file:///x',
    '/a',
    '//host/a',
    'https://',
    'https://:80',
    'http://a b',
    ' https://a',
    '',
    `https://a/${lone}`,
  ])('refuses %j as a URI', (value) => {
    expect(refused(Citation, { source: { kind: 'uri', value } })).toEqual({
      path: 'source.value',
      codes: 'invalid_citation',
    });
  });

  it('may refer to what only its provider knows', () => {
    expect(accepts(Citation, { source: { kind: 'reference', value: 'doc 1' }, quote: ' q ' })).toBe(
      true,
    );
    expect(refused(Citation, { source: { kind: 'reference', value: ' ' } }).path).toBe(
      'source.value',
    );
    expect(refused(Citation, { source: { kind: 'reference', value: 'd' }, title: 't ' }).path).toBe(
      'title',
    );
    expect(accepts(Citation, { source: { kind: 'page', value: 'd' } })).toBe(false);
  });
});

describe('media', () => {
  const source = { kind: 'ref', ref: 'file_1' };
  it.each([
    'image/png',
    'text/plain; charset=utf-8',
    'text/plain;a="b c"',
    'application/vnd.x+json',
  ])('accepts the type %s', (mime) => {
    expect(accepts(Media, { mime, source })).toBe(true);
  });

  it.each(['', 'image', 'image/', '/png', 'image/png;', 'image/png; a', 'im age/png', 'a/b/c'])(
    'refuses the type %j',
    (mime) => {
      expect(refused(Media, { mime, source }).path).toBe('mime');
    },
  );

  it.each([
    { kind: 'bytes', bytes: 'AAAA' },
    { kind: 'uri', uri: 'data:,x' },
    { kind: 'uri', uri: 'file:///x' },
    { kind: 'blob', hash: 'h', size: 0 },
  ])('accepts the source %j', (given) => {
    expect(accepts(Media, { mime: 'a/b', source: given })).toBe(true);
  });

  it.each([
    { kind: 'bytes', bytes: '' },
    { kind: 'bytes', uri: 'https://example.com' },
    { kind: 'bytes', bytes: 'AAAA', ref: 'x' },
    { kind: 'uri', uri: 'relative' },
    { kind: 'uri', uri: 'http:' },
    { kind: 'ref', ref: ' ' },
    { kind: 'blob', hash: '', size: 1 },
    { kind: 'blob', hash: 'h', size: -1 },
    { kind: 'file', ref: 'x' },
  ])('refuses the source %j', (given) => {
    expect(accepts(Media, { mime: 'a/b', source: given })).toBe(false);
  });
});

describe('usage', () => {
  const usage = { inputTokens: 10, outputTokens: 5 };

  it.each([
    [{ inputTokens: -1 }, 'inputTokens'],
    [{ inputTokens: 1.5 }, 'inputTokens'],
    [{ inputTokens: 2 ** 53 }, 'inputTokens'],
    [{ inputTokens: 2 ** 53 - 1 }, 'outputTokens'],
    [{ reasoningTokens: 6 }, 'reasoningTokens'],
    [{ cacheReadInputTokens: 11 }, 'cacheReadInputTokens'],
    [{ cacheWriteInputTokens: 11 }, 'cacheWriteInputTokens'],
    [{ totalTokens: 15 }, ''],
  ])('refuses %j', (members, path) => {
    expect(refused(Usage, { ...usage, ...members })).toEqual({ path, codes: 'invalid_usage' });
  });

  it('may have breakdowns up to the whole each, and 0', () => {
    const whole = { reasoningTokens: 5, cacheReadInputTokens: 10, cacheWriteInputTokens: 10 };
    expect(accepts(Usage, { ...usage, ...whole })).toBe(true);
    expect(accepts(Usage, { ...usage, reasoningTokens: 0 })).toBe(true);
  });

  it('adds up; a breakdown is the sum of those reported', () => {
    const total = [usage, undefined, { ...usage, reasoningTokens: 2 }, undefined].reduce(
      addUsage,
      noUsage,
    );
    expect(total).toEqual({ inputTokens: 20, outputTokens: 10, reasoningTokens: 2, unreported: 2 });
    expect(accepts(UsageTotal, total)).toBe(true);
    expect(addUsage(total, total).unreported).toBe(4);
    expect(addUsage(noUsage, usage)).toEqual({ ...usage, unreported: 0 });
    expect(noUsage).toEqual({ inputTokens: 0, outputTokens: 0, unreported: 0 });
  });

  it('has the total of input and output', () => {
    expect(totalTokens({ ...usage, reasoningTokens: 5, cacheReadInputTokens: 10 })).toBe(15);
  });
});

describe('metadata', () => {
  it('has keys that are not empty, and any JSON value', () => {
    expect(refused(Metadata, { '': 1 }).path).toBe('[""]');
    expect(accepts(Metadata, { 'any key': null, b: {} })).toBe(true);
    expect(accepts(Metadata, [])).toBe(false);
  });

  it('is the same by content: order of keys aside, absent and empty alike', () => {
    expect(sameMetadata({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
    expect(sameMetadata(undefined, {})).toBe(true);
    expect(sameMetadata({ a: null }, {})).toBe(false);
    expect(sameMetadata({ a: null }, { a: {} })).toBe(false);
  });
});

describe('an output and a response', () => {
  it('have a message of the assistant or none', () => {
    expect(accepts(Output, { finishReason: 'stop' })).toBe(true);
    expect(refused(Output, { message: hello, finishReason: 'stop' })).toEqual({
      path: 'message.role',
      codes: 'invalid_response invalid_message',
    });
  });

  it('need a known finish reason, which nothing ties to the content', () => {
    expect(refused(Output, {}).path).toBe('finishReason');
    expect(accepts(Output, { finishReason: 'end_turn' })).toBe(false);
    expect(createOutput({ finishReason: 'tool_calls' })).toEqual({ finishReason: 'tool_calls' });
  });

  it('have notes without surrounding space and with a valid time', () => {
    const metadata = {
      id: 'r',
      model: 'm',
      createdAt: '2026-01-01T00:00:00Z',
      extra: { 'a/b': 1 },
    };
    const response = { output: { finishReason: 'stop' as const, metadata: {} }, metadata };
    expect(createResponse(response)).toEqual(response);
    expect(refused(ResponseMetadata, { id: 'r ' }).path).toBe('id');
    expect(refused(ResponseMetadata, { model: ' m' }).path).toBe('model');
    expect(refused(ResponseMetadata, { createdAt: '' }).path).toBe('createdAt');
    expect(
      refused(Response, { output: { finishReason: 'stop' }, metadata: { usage: {} } }),
    ).toEqual({
      path: 'metadata.usage.inputTokens',
      codes: 'invalid_response',
    });
    expect(refused(Response, {}).path).toBe('output');
  });
});

describe('a delta', () => {
  it.each([{}, { parts: [] }, { messageMetadata: {} }, { finishReason: 'done' }])(
    'refuses to say nothing: %j',
    (delta) => {
      expect(refused(ResponseDelta, delta).codes).toBe('invalid_response');
    },
  );

  it.each([
    { outputMetadata: {} },
    { metadata: {} },
    { finishReason: 'stop' },
    { messageMetadata: { a: 1 } },
    { parts: [{ kind: 'text', text: 'x' }] },
    { parts: [{ kind: 'reasoning', reasoningState: 'AAAA' }] },
    { parts: [{ kind: 'tool_call', toolCall: { id: 'a', name: 'f' } }] },
  ])('may be %j', (delta) => {
    expect(accepts(ResponseDelta, delta)).toBe(true);
  });

  it.each([
    { kind: 'text', text: '' },
    { kind: 'text', text: lone },
    { kind: 'text', text: 'x', citations: [] },
    { kind: 'reasoning' },
    { kind: 'reasoning', text: '' },
    { kind: 'tool_call', toolCall: { id: 'a' } },
    { kind: 'tool_call', toolCall: { name: 'f' } },
    { kind: 'tool_result', toolResult: { id: 'a', name: 'f', output: {} } },
    { kind: 'media' },
    { kind: 'citation' },
    { kind: 'citation', citation: { source: { kind: 'reference', value: 'x' } }, metadata: {} },
  ])('refuses the part %j', (part) => {
    expect(accepts(ResponseDelta, { parts: [part] })).toBe(false);
  });
});
