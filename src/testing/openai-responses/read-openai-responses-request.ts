/** Reads a Responses request as far as a script must know it to choose its answer. */
import * as z from 'zod/mini';
import { JsonObject } from '../../chat/json.ts';
import type { Message } from '../../chat/message.ts';
import type { Part } from '../../chat/part.ts';
import { createRequest } from '../../chat/request.ts';
import type { WireRequest } from '../provider-server/wire-format.ts';
import { toOpenAiResponsesAnswer } from './to-openai-responses-answer.ts';

const text = z.nullish(z.string());
const Pieces = z.array(z.object({ type: z.string(), text, refusal: text }));
const Content = z.nullish(z.union([z.string(), Pieces]));

const Item = z.object({
  type: text,
  role: z.nullish(z.enum(['developer', 'system', 'user', 'assistant'])),
  content: Content,
  summary: z.nullish(Pieces),
  encrypted_content: text,
  call_id: text,
  name: text,
  arguments: text,
  output: Content,
});
type Item = z.infer<typeof Item>;

const Body = z.object({
  model: z.string(),
  stream: z.nullish(z.boolean()),
  store: z.nullish(z.boolean()),
  instructions: text,
  input: z.union([z.string(), z.array(Item)]),
  tools: z.nullish(
    z.array(
      z.object({
        type: z.string(),
        name: text,
        description: text,
        parameters: z.nullish(JsonObject),
      }),
    ),
  ),
});

/** @throws Error for a body that is no JSON, or no Responses request */
export function readOpenAiResponsesRequest(body: string): WireRequest {
  const { model, stream, store, instructions, input, tools } = Body.parse(JSON.parse(body));
  const items: Item[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const functions = (tools ?? []).flatMap(({ name, description, parameters }) =>
    name == null
      ? []
      : [
          {
            name,
            ...(description == null ? {} : { description }),
            inputSchema: parameters ?? { type: 'object' },
          },
        ],
  );
  const system: Message[] = instructions
    ? [{ role: 'system', parts: [{ kind: 'text', text: instructions }] }]
    : [];
  const form = { model, store: store ?? true, input: JSON.stringify(input) };
  return {
    model,
    stream: stream === true,
    request: createRequest({
      messages: [...system, ...toMessages(items)],
      ...(functions.length === 0 ? {} : { tools: functions }),
    }),
    answer: (scripted, seed) => toOpenAiResponsesAnswer(scripted, form, seed),
  };
}

/** What the model said without a break counts as one message, however many items it has. */
function toMessages(items: readonly Item[]): Message[] {
  const toolNames = new Map(
    items
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id, name }) => [call_id, name]),
  );
  const messages: Message[] = [];
  for (const item of items) {
    const { role, parts } = toMessage(item, toolNames);
    const last = messages.at(-1);
    if (role === 'assistant' && last?.role === 'assistant') last.parts.push(...parts);
    // The protocol has no messages without parts; such an item says nothing to a script either.
    else if (parts.length > 0) messages.push({ role, parts });
  }
  return messages;
}

function toMessage(
  item: Item,
  toolNames: ReadonlyMap<string | null | undefined, string | null | undefined>,
): Message {
  const id = item.call_id ?? '';
  switch (item.type ?? 'message') {
    case 'message': {
      const role = item.role ?? 'user';
      return { role: role === 'developer' ? 'system' : role, parts: toParts(item.content) };
    }
    case 'function_call': {
      const toolCall = { id, name: item.name ?? '', arguments: item.arguments ?? '' };
      return { role: 'assistant', parts: [{ kind: 'tool_call', toolCall }] };
    }
    case 'function_call_output': {
      const output = { content: toParts(item.output).flatMap(onlyText) };
      const toolResult = { id, name: toolNames.get(item.call_id) ?? 'unknown', output };
      return { role: 'tool', parts: [{ kind: 'tool_result', toolResult }] };
    }
    case 'reasoning':
      return { role: 'assistant', parts: toReasoning(item) };
    default:
      return { role: 'assistant', parts: [{ kind: 'text', text: `[${item.type}]` }] };
  }
}

function toReasoning({ summary, content, encrypted_content }: Item): Part[] {
  const thought = [summary, content]
    .flatMap((pieces) => toParts(pieces).flatMap(onlyText))
    .map((part) => part.text)
    .join('');
  const state = Buffer.from(encrypted_content ?? '').toString('base64');
  if (thought === '' && state === '') return [];
  return [
    {
      kind: 'reasoning',
      ...(thought === '' ? {} : { text: thought }),
      ...(state === '' ? {} : { reasoningState: state }),
    },
  ];
}

function toParts(content: Item['content']): Part[] {
  const pieces = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  return pieces.flatMap((piece): Part[] => {
    if ('refusal' in piece && piece.refusal) return [{ kind: 'refusal', text: piece.refusal }];
    const said = piece.text ?? `[${piece.type}]`;
    return said === '' ? [] : [{ kind: 'text', text: said }];
  });
}

function onlyText(part: Part): Extract<Part, { kind: 'text' }>[] {
  return part.kind === 'text' ? [part] : [];
}
