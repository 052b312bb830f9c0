/** One entry of a conversation. */
import * as z from 'zod/mini';
import { concept } from './concept.ts';
import { Metadata } from './metadata.ts';
import { Part } from './part.ts';

/** Who speaks; there are exactly these four. */
export const Role = z.enum(['system', 'user', 'assistant', 'tool']);
export type Role = z.infer<typeof Role>;

const kindsOf: Readonly<Record<Role, readonly Part['kind'][]>> = {
  system: ['text'],
  user: ['text', 'media'],
  assistant: ['text', 'media', 'reasoning', 'tool_call', 'refusal'],
  tool: ['tool_result'],
};

/** The members that every message has, stored or not. */
export const messageShape = {
  role: Role,
  parts: z.array(Part).check(z.minLength(1)),
  metadata: z.optional(Metadata),
};

/** Refuses a part whose kind its role cannot say. */
export const partsFitRole = z.check<{ role: Role; parts: Part[] }>((payload) => {
  const { role, parts } = payload.value;
  const index = parts.findIndex((part) => !kindsOf[role].includes(part.kind));
  if (index < 0) return;
  payload.issues.push({
    code: 'custom',
    input: payload.value,
    path: ['parts', index],
    message: `a ${role} message cannot hold a ${parts[index]?.kind} part`,
  });
});

/**
 * A role and at least one part. Any number and order of parts is legal; whether calls and results match
 * is another question (`checkSequencing`).
 */
export const Message = concept('invalid_message', z.strictObject(messageShape).check(partsFitRole));
export type Message = z.infer<typeof Message>;
