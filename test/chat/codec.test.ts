/** Decoding and encoding of chat data. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode, parse } from '../../src/chat/codec.ts';
import { Message } from '../../src/chat/message.ts';
import { Options } from '../../src/chat/options.ts';
import { Request } from '../../src/chat/request.ts';
import { Response } from '../../src/chat/response.ts';
import { ToolOutput } from '../../src/chat/tool-output.ts';
import { request, spokenMessage } from './arbitraries.ts';
import { hello, lone, refusal } from './support.ts';

describe('the codec', () => {
  it('decodes what it encoded, and encodes that to the same bytes', () => {
    fc.assert(
      fc.property(request, (value) => {
        const text = encode(Request, value);
        const decoded = parse(Request, text);
        expect(decoded).toEqual(JSON.parse(JSON.stringify(value)));
        expect(encode(Request, decoded)).toBe(text);
      }),
    );
  });

  it('gives equal messages equal bytes, whatever order their members were written in', () => {
    fc.assert(
      fc.property(spokenMessage, (message) => {
        const reversed = {
          metadata:
            message.metadata && Object.fromEntries(Object.entries(message.metadata).reverse()),
          parts: message.parts,
          role: message.role,
        };
        expect(encode(Message, reversed)).toBe(encode(Message, message));
      }),
    );
  });

  it('sorts maps and leaves raw JSON in its own order', () => {
    const text = encode(Message, {
      metadata: { b: { z: 1, a: 2 }, a: null },
      parts: [{ text: 'x', kind: 'text' }],
      role: 'user',
    });
    expect(text).toBe(
      '{"role":"user","parts":[{"kind":"text","text":"x"}],"metadata":{"a":null,"b":{"z":1,"a":2}}}',
    );
  });

  it('never writes undefined', () => {
    expect(encode(Message, { ...hello, metadata: undefined })).toBe(
      '{"role":"user","parts":[{"kind":"text","text":"hello"}]}',
    );
  });

  it.each([
    ['{"role":"user","parts":[{"kind":"text","text":"x"}],"extra":1}', ''],
    ['{"role":"user","Role":"user","parts":[{"kind":"text","text":"x"}]}', ''],
    ['{"role":"user","parts":[{"kind":"text","text":"x","bold":true}]}', 'parts[0]'],
    ['{"role":"user","parts":[{"kind":"text","text":"x"}],"__proto__":{}}', ''],
  ])('refuses unknown members at every level: %s', (text, path) => {
    const error = refusal(() => parse(Message, text));
    expect(error.message).toContain('has the unknown member');
    expect(error.path).toBe(path);
  });

  it('refuses a duplicate member', () => {
    const text = '{"role":"user","role":"system","parts":[{"kind":"text","text":"x"}]}';
    expect(refusal(() => parse(Message, text))).toMatchObject({
      code: 'invalid_message',
      message: 'the JSON text has the member "role" twice',
    });
  });

  it('reads null in place of an optional member as absent, and in raw JSON as null', () => {
    const text =
      '{"role":"tool","metadata":null,"parts":[{"kind":"tool_result","citations":null,"toolResult":' +
      '{"id":"a","name":"f","isError":null,"output":{"content":null,"details":null}},"metadata":{"k":null}}]}';
    expect(refusal(() => parse(Message, '{"role":null,"parts":null}')).path).toBe('role');
    expect(parse(Message, text)).toEqual({
      role: 'tool',
      parts: [
        {
          kind: 'tool_result',
          toolResult: { id: 'a', name: 'f', output: { details: null } },
          metadata: { k: null },
        },
      ],
    });
  });

  it('keeps an empty list of stop sequences', () => {
    expect(encode(Options, parse(Options, '{"stop":[]}'))).toBe('{"stop":[]}');
    expect(parse(Options, '{"stop":null}')).toEqual({});
  });

  it('keeps a member named __proto__ inside raw JSON as data', () => {
    const text = '{"details":{"__proto__":{"admin":true}}}';
    const output = parse(ToolOutput, text);
    expect(encode(ToolOutput, output)).toBe(text);
    expect(Object.hasOwn(Object(output.details), 'admin')).toBe(false);
    expect(Object(output.details).admin).toBeUndefined();
  });

  it.each([
    ['text', { role: 'user', parts: [{ kind: 'text', text: lone }] }],
    ['reasoning text', { role: 'assistant', parts: [{ kind: 'reasoning', text: lone }] }],
    ['refusal', { role: 'assistant', parts: [{ kind: 'refusal', text: lone }] }],
    [
      'tool output text',
      {
        role: 'tool',
        parts: [
          {
            kind: 'tool_result',
            toolResult: { id: 'a', name: 'f', output: { content: [{ kind: 'text', text: lone }] } },
          },
        ],
      },
    ],
    [
      'tool arguments',
      {
        role: 'assistant',
        parts: [{ kind: 'tool_call', toolCall: { id: 'a', name: 'f', arguments: lone } }],
      },
    ],
    [
      'media reference',
      {
        role: 'user',
        parts: [{ kind: 'media', media: { mime: 'a/b', source: { kind: 'ref', ref: lone } } }],
      },
    ],
    ['metadata key', { ...hello, metadata: { [lone]: 1 } }],
    ['metadata value', { ...hello, metadata: { a: [lone] } }],
  ])('has no encoding for a lone surrogate in %s', (_, value) => {
    const message: Message = Object(value);
    expect(refusal(() => encode(Message, message)).message).toContain('lone surrogate');
    const escaped = JSON.stringify(value);
    expect(refusal(() => parse(Message, escaped)).message).toContain('lone surrogate');
  });

  it('refuses a lone surrogate in a model name', () => {
    expect(refusal(() => encode(Options, { model: lone })).message).toContain('lone surrogate');
  });

  it('names the concept that was asked for, every concept inside it, and the place', () => {
    const error = refusal(() =>
      parse(
        Request,
        '{"messages":[{"role":"user","parts":[{"kind":"text","text":"x"}]},' +
          '{"role":"assistant","parts":[{"kind":"tool_call","toolCall":{"id":"","name":"f"}}]}]}',
      ),
    );
    expect(error).toMatchObject({
      code: 'invalid_request',
      codes: ['invalid_request', 'invalid_message', 'invalid_part', 'invalid_tool_call'],
      path: 'messages[1].parts[0].toolCall.id',
      message: 'messages[1].parts[0].toolCall.id: must not be empty',
    });
  });

  it('leaves its input alone and shares nothing with it', () => {
    const metadata = { b: [1], a: 2 };
    const before = structuredClone(metadata);
    const output = { finishReason: 'stop' as const, metadata: { extra: metadata } };
    encode(Response, { output });
    expect(metadata).toEqual(before);
    expect(Object.keys(metadata)).toEqual(['b', 'a']);
  });
});
