/** What a run is started with: the argument of the Workflow, written by any Temporal client. */
import * as z from 'zod/mini';
import { JsonValue } from '../chat/json.ts';
import { Message } from '../chat/message.ts';
import type { Options } from '../chat/options.ts';
import { NonEmptyText } from '../chat/text.ts';

/** What the user says: plain text, or a complete user message. */
export const UserInput = z.union([NonEmptyText, Message]);
export type UserInput = z.infer<typeof UserInput>;

/** The user message that an input stands for. */
export function toUserMessage(input: UserInput): Message {
  return typeof input === 'string'
    ? { role: 'user', parts: [{ kind: 'text', text: input }] }
    : input;
}

/** A new run. `history` comes before `input`; system messages in it are dropped. */
export const StartInput = z.strictObject({
  agent: z.string().check(z.minLength(1)),
  input: UserInput,
  history: z.optional(z.array(Message)),
  /** Only looked at here; resolving the agent checks them, outside the sandbox, with their schema. */
  options: z.optional(z.custom<Options>((value) => typeof value === 'object' && value !== null)),
  maxIterations: z.optional(z.int().check(z.positive())),
  title: z.optional(z.string()),
  metadata: z.optional(z.record(z.string(), JsonValue)),
});
export type StartInput = z.infer<typeof StartInput>;

/** The argument of `everloopAgentRun`. */
export const AgentRunInput = z.strictObject({ start: StartInput });
export type AgentRunInput = z.infer<typeof AgentRunInput>;

/** The argument of the Update `send`. Without an id the Update's own id is taken. */
export const SendInput = z.strictObject({
  id: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  message: UserInput,
  /** `queue`: the message is read at the next boundary. */
  mode: z.optional(z.enum(['queue'])),
});
export type SendInput = z.infer<typeof SendInput>;
