/** Requests, tools, choices, formats and options. */
import { describe, expect, it } from 'vitest';
import { systemMessage, userMessage } from '../../src/chat/create-message.ts';
import { Message } from '../../src/chat/message.ts';
import { Options } from '../../src/chat/options.ts';
import { jsonSchemaFormat, OutputFormat } from '../../src/chat/output-format.ts';
import { assertRequest, createRequest, Request, validMessage } from '../../src/chat/request.ts';
import { resolveOptions } from '../../src/chat/resolve-options.ts';
import { ToolChoice } from '../../src/chat/tool-choice.ts';
import { ToolDefinition } from '../../src/chat/tool-definition.ts';
import { validate } from '../../src/chat/validate.ts';
import { accepts, hello, refusal, refused } from './support.ts';

const tool = { name: 'f', inputSchema: { type: 'object' } };

describe('a tool definition', () => {
  it.each(['', 'a b', 'ä', 'x'.repeat(65), 'f\n'])('refuses the name %j', (name) => {
    expect(refused(ToolDefinition, { ...tool, name })).toEqual({
      path: 'name',
      codes: 'invalid_tool_definition',
    });
  });

  it.each([{}, { type: ['object'] }, { type: 'array' }, [], null, 'object', true])(
    'refuses the input schema %j',
    (inputSchema) => {
      expect(refused(ToolDefinition, { ...tool, inputSchema }).path).toBe('inputSchema');
    },
  );

  it('keeps the order of its schema', () => {
    const inputSchema = { type: 'object', properties: { z: {}, a: {} }, $comment: 'x' };
    const { inputSchema: kept } = validate(ToolDefinition, { ...tool, inputSchema });
    expect(JSON.stringify(kept)).toBe(JSON.stringify(inputSchema));
  });
});

describe('a tool choice', () => {
  it.each([
    { mode: 'auto' },
    { mode: 'auto', parallelism: 'allow' },
    { mode: 'none' },
    { mode: 'required', parallelism: 'single' },
    { mode: 'named', name: 'f', parallelism: 'single' },
  ])('may be %j', (choice) => {
    expect(accepts(ToolChoice, choice)).toBe(true);
  });

  it.each([
    { mode: 'any' },
    { mode: 'named' },
    { mode: 'named', name: 'a b' },
    { mode: 'auto', name: 'f' },
    { mode: 'none', parallelism: 'single' },
    { mode: 'auto', parallelism: 'many' },
  ])('refuses %j', (choice) => {
    expect(refused(ToolChoice, choice).codes).toBe('invalid_tool_choice');
  });
});

describe('an output format', () => {
  const schema = { type: 'object' };
  it.each([
    { type: 'xml' },
    { type: 'text', name: 'x' },
    { type: 'json', schema },
    { type: 'json_schema', name: '', schema },
    { type: 'json_schema', name: ' x', schema },
    { type: 'json_schema', name: 'x', description: 'y ', schema },
    { type: 'json_schema', name: 'x' },
    { type: 'json_schema', name: 'x', schema: true },
    { type: 'json_schema', name: 'x', schema: {} },
    { type: 'json_schema', name: 'x', schema: { description: 'é'.repeat(524_288) } },
  ])('refuses $type with %#', (format) => {
    expect(refused(OutputFormat, format).codes).toBe('invalid_output_format');
  });

  it('of a schema is an independent copy', () => {
    const format = jsonSchemaFormat({ name: 'person', schema });
    expect(format).toEqual({ type: 'json_schema', name: 'person', schema });
    expect(format.type === 'json_schema' && format.schema).not.toBe(schema);
    expect(refusal(() => jsonSchemaFormat({ name: '', schema })).code).toBe(
      'invalid_output_format',
    );
  });
});

describe('options', () => {
  it.each([
    { model: ' m' },
    { model: '\u0085m' },
    { frequencyPenalty: 2.1 },
    { presencePenalty: -2.1 },
    { temperature: 2.1 },
    { temperature: -0.1 },
    { temperature: Number.NaN },
    { topP: 1.1 },
    { topP: Number.POSITIVE_INFINITY },
    { maxOutputTokens: 0 },
    { maxOutputTokens: 1.5 },
    { maxOutputTokens: 2 ** 53 },
    { topK: 0 },
    { reasoningEffort: 'high ' },
    { stop: [''] },
    { extensions: { plain: 1 } },
    { extensions: { 'a/b/c': 1 } },
    { extensions: { '/b': 1 } },
    { extensions: { 'a/b c': 1 } },
    { seed: 1 },
  ])('refuse %j', (options) => {
    expect(refused(Options, options).codes).toBe('invalid_options');
  });

  it.each([
    { model: '' },
    { model: '\ufeffm' },
    { temperature: 0, topP: 1, frequencyPenalty: -2, presencePenalty: 2 },
    { reasoningEffort: 'anything' },
    { stop: [] },
    { extensions: { 'openai/request': { n: null }, 'é.1/_-': 0 } },
  ])('accept %j', (options) => {
    expect(validate(Options, options)).toEqual(options);
  });

  it('take -0 for 0', () => {
    expect(validate(Options, { temperature: -0 }).temperature).toBe(0);
  });

  it('layer over one another, the later one winning', () => {
    const base = {
      model: 'a',
      temperature: 0,
      stop: ['x'],
      extensions: { 'a/b': { x: 1 }, 'a/c': 1 },
    };
    const before = structuredClone(base);
    expect(
      resolveOptions(base, undefined, {
        model: '',
        topK: 3,
        temperature: undefined,
        stop: [],
        extensions: { 'a/b': { y: 2 } },
      }),
    ).toEqual({
      model: 'a',
      temperature: 0,
      topK: 3,
      stop: [],
      extensions: { 'a/b': { y: 2 }, 'a/c': 1 },
    });
    expect(base).toEqual(before);
  });

  it('are checked once layered: an invalid member may be replaced', () => {
    expect(resolveOptions({ topK: -1 }, { topK: 1 })).toEqual({ topK: 1 });
    expect(refusal(() => resolveOptions({ topK: -1 }, { model: 'm' })).code).toBe(
      'invalid_options',
    );
    expect(resolveOptions(undefined)).toEqual({});
  });

  it('share nothing with what they were layered from', () => {
    const base = { stop: ['x'], extensions: { 'a/b': { x: 1 } } };
    const resolved = resolveOptions(base);
    expect(resolved).toEqual(base);
    expect(resolved.stop).not.toBe(base.stop);
    expect(resolved.extensions?.['a/b']).not.toBe(base.extensions['a/b']);
  });
});

describe('a request', () => {
  it('has at least one message', () => {
    expect(refused(Request, { messages: [] })).toEqual({
      path: 'messages',
      codes: 'invalid_request',
    });
  });

  it('has its system messages first', () => {
    const system = systemMessage('s');
    expect(accepts(Request, { messages: [system] })).toBe(true);
    expect(accepts(Request, { messages: [system, system, hello] })).toBe(true);
    expect(refused(Request, { messages: [system, hello, system] })).toEqual({
      path: 'messages[2]',
      codes: 'invalid_request invalid_message',
    });
  });

  it('has tools of different names', () => {
    expect(refused(Request, { messages: [hello], tools: [tool, tool] })).toEqual({
      path: 'tools[1].name',
      codes: 'invalid_request invalid_tool_definition',
    });
  });

  it.each([
    [[], { mode: 'none' }],
    [undefined, { mode: 'auto' }],
    [[tool], { mode: 'named', name: 'g' }],
  ])('with the tools %j cannot have the choice %j', (tools, toolChoice) => {
    expect(refused(Request, { messages: [hello], tools, toolChoice })).toEqual({
      path: 'toolChoice',
      codes: 'invalid_request invalid_tool_choice',
    });
  });

  it('names the format inside the options', () => {
    expect(
      refused(Request, {
        messages: [hello],
        options: { outputFormat: { type: 'text', name: 'x' } },
      }),
    ).toEqual({
      path: 'options.outputFormat',
      codes: 'invalid_request invalid_options invalid_output_format',
    });
  });

  it('is an independent copy of what it was created from', () => {
    const input = { messages: [userMessage('hi')], tools: [structuredClone(tool)] };
    const request = createRequest(input);
    expect(request).toEqual(input);
    expect(request.messages[0]?.parts).not.toBe(input.messages[0]?.parts);
    expect(request.tools?.[0]?.inputSchema).not.toBe(input.tools[0]?.inputSchema);
  });

  it('is asserted without checking again the messages that were seen valid', () => {
    let reads = 0;
    const watched = (message: Message) =>
      new Proxy(message, {
        get(target, name, receiver) {
          if (name === 'parts') reads += 1;
          return Reflect.get(target, name, receiver);
        },
      });
    const messages = [watched(userMessage('a')), watched(userMessage('b'))];
    assertRequest({ messages });
    expect(reads).toBeGreaterThan(0);
    reads = 0;
    assertRequest({ messages });
    expect(reads).toBe(0);
    expect(
      refusal(() => assertRequest({ messages: [...messages, { role: 'user', parts: [] }] })),
    ).toMatchObject({ path: 'messages[2].parts', code: 'invalid_request' });
  });

  it('is asserted whole apart from its messages every time', () => {
    const message = validMessage(userMessage('a'));
    expect(() => assertRequest({ messages: [message], tools: [tool] })).not.toThrow();
    expect(refusal(() => assertRequest({ messages: [message], tools: [tool, tool] })).path).toBe(
      'tools[1].name',
    );
    expect(refusal(() => assertRequest({ messages: [message, systemMessage('late')] })).path).toBe(
      'messages[1]',
    );
    expect(refusal(() => assertRequest({ messages: [] })).path).toBe('messages');
  });

  it('takes only valid messages for valid', () => {
    expect(validMessage(hello)).toEqual(hello);
    expect(refusal(() => validMessage({ role: 'user' })).path).toBe('parts');
    expect(refused(Message, undefined).path).toBe('');
  });
});
