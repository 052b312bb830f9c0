/** Random chat data for the property tests. */
import fc from 'fast-check';
import type { Citation } from '../../src/chat/citation.ts';
import type { JsonObject, JsonValue } from '../../src/chat/json.ts';
import type { Message } from '../../src/chat/message.ts';
import type { Part } from '../../src/chat/part.ts';
import type { PartDelta } from '../../src/chat/part-delta.ts';
import type { Request } from '../../src/chat/request.ts';

/** Well-formed text, code points of every plane. */
export const text = fc.string({ unit: 'binary', maxLength: 12 });
/** The same, not empty. */
export const someText = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });

const base64 = fc
  .uint8Array({ minLength: 1, maxLength: 8 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));

/** JSON values that text can carry exactly. */
export const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue; object: JsonObject }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constant(null),
      fc.boolean(),
      text,
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, min: -1, max: 1 }).map((value) => (value === 0 ? 0 : value)),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc.dictionary(text, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  }),
).value;

/** Metadata maps. */
export const metadata = fc.dictionary(someText, json, { maxKeys: 3, noNullPrototype: true });

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** Text parts with or without a citation. */
const textPart: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant('text' as const),
  text: someText,
  citations: optional(
    fc.constant<Citation[]>([
      { source: { kind: 'uri', value: 'https://example.com/a' }, quote: 'q' },
    ]),
  ),
  metadata: optional(metadata),
});

const mediaPart: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant('media' as const),
  media: fc.record({
    mime: fc.constantFrom('image/png', 'application/pdf', 'text/plain; charset=utf-8'),
    source: fc.oneof(
      fc.record({ kind: fc.constant('bytes' as const), bytes: base64 }),
      fc.constant({ kind: 'uri' as const, uri: 'https://example.com/i.png' }),
      fc.constant({ kind: 'ref' as const, ref: 'file_1' }),
      fc.constant({ kind: 'blob' as const, hash: 'abc', size: 3 }),
    ),
    name: optional(text),
  }),
});

const reasoningPart: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant('reasoning' as const),
  text: optional(text),
  reasoningState: base64,
  metadata: optional(metadata),
});

/** Calls whose ids often repeat. */
const toolCallPart: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant('tool_call' as const),
  toolCall: fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'a_2'),
    name: fc.constant('f'),
    arguments: optional(text),
  }),
});

/** Results whose ids often repeat. */
const toolResultPart: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant('tool_result' as const),
  toolResult: fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'a_2'),
    name: fc.constant('f'),
    output: fc.oneof(
      fc.constant({}),
      fc.record({ details: json }),
      someText.map((value) => ({ content: [{ kind: 'text' as const, text: value }] })),
    ),
    isError: optional(fc.boolean()),
  }),
});

const refusalPart = someText.map((value): Part => ({ kind: 'refusal', text: value }));

function message(role: Message['role'], part: fc.Arbitrary<Part>): fc.Arbitrary<Message> {
  return fc.record({
    role: fc.constant(role),
    parts: fc.array(part, { minLength: 1, maxLength: 4 }),
    metadata: optional(metadata),
  });
}

/** Messages that are not the system's; calls and results match only by chance. */
export const spokenMessage = fc.oneof(
  message('user', fc.oneof(textPart, mediaPart)),
  message(
    'assistant',
    fc.oneof(textPart, mediaPart, reasoningPart, refusalPart, toolCallPart, toolCallPart),
  ),
  message('tool', toolResultPart),
  message('tool', toolResultPart),
);

/** Valid requests. */
export const request: fc.Arbitrary<Request> = fc.record({
  messages: fc.array(spokenMessage, { minLength: 1, maxLength: 5 }),
  tools: optional(
    fc.constant([{ name: 'f', description: 'd', inputSchema: { type: 'object', properties: {} } }]),
  ),
  options: optional(
    fc.record({
      model: fc.constantFrom('', 'm'),
      temperature: fc.double({ min: 0, max: 2, noNaN: true }),
      stop: optional(fc.array(someText, { maxLength: 2 })),
    }),
  ),
});

/** Deltas of which many follow one another legally, and some do not. */
export const partDelta: fc.Arbitrary<PartDelta> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('text' as const, 'refusal' as const),
    text: fc.oneof({ weight: 9, arbitrary: someText }, { weight: 1, arbitrary: fc.constant('') }),
    block: optional(fc.nat(1)),
  }),
  fc.record({
    kind: fc.constant('reasoning' as const),
    text: optional(text),
    reasoningState: base64,
  }),
  fc.record({
    kind: fc.constant('tool_call' as const),
    toolCall: fc.record({
      id: fc.constantFrom('a', 'b'),
      name: fc.constantFrom('f', 'f', 'f', 'g'),
      arguments: text,
    }),
    metadata: optional(metadata),
  }),
  fc.constant({
    kind: 'citation' as const,
    citation: { source: { kind: 'reference' as const, value: 'doc' } },
  }),
);
