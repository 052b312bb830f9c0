/** Reads a Chat Completions request as far as a script must know it to choose its answer. */
import * as z from 'zod/mini';
import { JsonObject } from '../../chat/json.ts';
import type { Message } from '../../chat/message.ts';
import type { Part } from '../../chat/part.ts';
import { createRequest } from '../../chat/request.ts';
import type { WireRequest } from '../provider-server/wire-format.ts';
import { toOpenAiChatAnswer } from './to-openai-chat-answer.ts';

const Content = z.nullish(
  z.union([z.string(), z.array(z.object({ type: z.string(), text: z.optional(z.string()) }))]),
);

const Body = z.object({
  model: z.string(),
  stream: z.nullish(z.boolean()),
  stream_options: z.nullish(z.object({ include_usage: z.nullish(z.boolean()) })),
  tools: z.nullish(
    z.array(
      z.object({
        function: z.object({
          name: z.string(),
          description: z.nullish(z.string()),
          parameters: z.nullish(JsonObject),
        }),
      }),
    ),
  ),
  messages: z.array(
    z.object({
      role: z.enum(['developer', 'system', 'user', 'assistant', 'tool']),
      content: Content,
      refusal: z.nullish(z.string()),
      tool_call_id: z.optional(z.string()),
      tool_calls: z.nullish(
        z.array(
          z.object({
            id: z.string(),
            function: z.object({ name: z.string(), arguments: z.string() }),
          }),
        ),
      ),
    }),
  ),
});
type WireMessage = z.infer<typeof Body>['messages'][number];

/** @throws Error for a body that is no JSON, or no Chat Completions request */
export function readOpenAiChatRequest(text: string): WireRequest {
  const body = Body.parse(JSON.parse(text));
  const toolNames = new Map(
    body.messages
      .flatMap((message) => message.tool_calls ?? [])
      .map((call) => [call.id, call.function.name]),
  );
  const tools = (body.tools ?? []).map(({ function: tool }) => ({
    name: tool.name,
    ...(tool.description == null ? {} : { description: tool.description }),
    inputSchema: tool.parameters ?? { type: 'object' },
  }));
  const form = {
    model: body.model,
    includeUsage: body.stream_options?.include_usage === true,
  };
  return {
    model: body.model,
    stream: body.stream === true,
    request: createRequest({
      messages: body.messages
        .map((message) => toMessage(message, toolNames))
        // The protocol has no messages without parts; such a message says nothing to a script either.
        .filter((message) => message.parts.length > 0),
      ...(tools.length === 0 ? {} : { tools }),
    }),
    answer: (scripted, seed) => toOpenAiChatAnswer(scripted, form, seed),
  };
}

function toMessage(wire: WireMessage, toolNames: ReadonlyMap<string, string>): Message {
  if (wire.role === 'tool') {
    const id = wire.tool_call_id ?? '';
    const name = toolNames.get(id) ?? 'unknown';
    const output = { content: texts(wire) };
    return { role: 'tool', parts: [{ kind: 'tool_result', toolResult: { id, name, output } }] };
  }
  const parts: Part[] = texts(wire);
  if (wire.refusal) parts.push({ kind: 'refusal', text: wire.refusal });
  for (const { id, function: call } of wire.tool_calls ?? []) {
    parts.push({ kind: 'tool_call', toolCall: { id, name: call.name, arguments: call.arguments } });
  }
  return { role: wire.role === 'developer' ? 'system' : wire.role, parts };
}

function texts({ content }: WireMessage): { kind: 'text'; text: string }[] {
  const pieces =
    typeof content === 'string'
      ? [content]
      : (content ?? []).map((part) => part.text ?? `[${part.type}]`);
  return pieces.filter((text) => text !== '').map((text) => ({ kind: 'text', text }));
}
