/** Reads a Messages request as far as a script must know it to choose its answer. */
import * as z from 'zod/mini';
import { JsonObject } from '../../chat/json.ts';
import type { Message } from '../../chat/message.ts';
import type { Part } from '../../chat/part.ts';
import { createRequest } from '../../chat/request.ts';
import type { WireRequest } from '../provider-server/wire-format.ts';
import { toAnthropicAnswer } from './to-anthropic-answer.ts';

const Block = z.object({
  type: z.string(),
  text: z.optional(z.string()),
  thinking: z.optional(z.string()),
  id: z.optional(z.string()),
  name: z.optional(z.string()),
  input: z.optional(z.unknown()),
  tool_use_id: z.optional(z.string()),
  is_error: z.optional(z.boolean()),
  content: z.optional(
    z.union([z.string(), z.array(z.object({ type: z.string(), text: z.optional(z.string()) }))]),
  ),
});
type Block = z.infer<typeof Block>;

const Content = z.union([z.string(), z.array(Block)]);

const Body = z.object({
  model: z.string(),
  max_tokens: z.int(),
  stream: z.nullish(z.boolean()),
  system: z.optional(Content),
  tools: z.optional(
    z.array(
      z.object({
        name: z.string(),
        description: z.optional(z.string()),
        input_schema: z.optional(JsonObject),
      }),
    ),
  ),
  messages: z
    .array(z.object({ role: z.enum(['user', 'assistant']), content: Content }))
    .check(z.minLength(1)),
});

/** @throws Error for a body that is no JSON, or no Messages request */
export function readAnthropicRequest(text: string): WireRequest {
  const body = Body.parse(JSON.parse(text));
  const toolNames = new Map(
    body.messages.flatMap(({ content }) =>
      blocksOf(content).flatMap(({ type, id, name }): [string, string][] =>
        type === 'tool_use' ? [[id ?? '', name ?? '']] : [],
      ),
    ),
  );
  const tools = (body.tools ?? []).map(({ name, description, input_schema: inputSchema }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema: inputSchema ?? { type: 'object' },
  }));
  const messages: Message[] = [
    { role: 'system', parts: blocksOf(body.system).flatMap(toPart) },
    ...body.messages.flatMap(({ role, content }): Message[] => {
      const blocks = blocksOf(content);
      const results = blocks.filter(({ type }) => type === 'tool_result');
      return [
        { role: 'tool', parts: results.map((block) => toResult(block, toolNames)) },
        { role, parts: blocks.filter(({ type }) => type !== 'tool_result').flatMap(toPart) },
      ];
    }),
  ];
  return {
    model: body.model,
    stream: body.stream === true,
    request: createRequest({
      // The protocol has no messages without parts; such a message says nothing to a script either.
      messages: messages.filter(({ parts }) => parts.length > 0),
      ...(tools.length === 0 ? {} : { tools }),
    }),
    answer: (scripted, seed) => toAnthropicAnswer(scripted, body.model, seed),
  };
}

function blocksOf(content: z.infer<typeof Content> | undefined): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}

function toPart(block: Block): Part[] {
  switch (block.type) {
    case 'text':
      return block.text ? [{ kind: 'text', text: block.text }] : [];
    case 'thinking':
      return block.thinking ? [{ kind: 'reasoning', text: block.thinking }] : [];
    case 'tool_use': {
      const { id = '', name = '', input } = block;
      return [
        { kind: 'tool_call', toolCall: { id, name, arguments: JSON.stringify(input ?? {}) } },
      ];
    }
    default:
      return [{ kind: 'text', text: `[${block.type}]` }];
  }
}

function toResult(block: Block, toolNames: ReadonlyMap<string, string>): Part {
  const id = block.tool_use_id ?? '';
  const pieces =
    typeof block.content === 'string'
      ? [block.content]
      : (block.content ?? []).map((piece) => piece.text ?? `[${piece.type}]`);
  const content = pieces
    .filter((text) => text !== '')
    .map((text) => ({ kind: 'text' as const, text }));
  return {
    kind: 'tool_result',
    toolResult: {
      id,
      name: toolNames.get(id) ?? 'unknown',
      output: { content },
      ...(block.is_error === true ? { isError: true } : {}),
    },
  };
}
