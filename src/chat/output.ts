/** What a model answered. */
import * as z from 'zod/mini';
import { concept } from './concept.ts';
import { FinishReason } from './finish-reason.ts';
import { Message } from './message.ts';
import { Metadata } from './metadata.ts';
import { validate } from './validate.ts';

/** Notes on an output; the provider's own finish reason is kept in `extra`. */
export const OutputMetadata = z.strictObject({ extra: z.optional(Metadata) });
export type OutputMetadata = z.infer<typeof OutputMetadata>;

/**
 * The assistant's message, absent if it said nothing, and why it ended. No rule ties the two together: a
 * `stop` with calls and `tool_calls` without any both occur.
 */
export const Output = concept(
  'invalid_response',
  z.strictObject({
    message: z.optional(
      Message.check(
        z.refine((message) => message.role === 'assistant', {
          error: 'must be an assistant message',
          path: ['role'],
        }),
      ),
    ),
    finishReason: FinishReason,
    metadata: z.optional(OutputMetadata),
  }),
);
export type Output = z.infer<typeof Output>;

/**
 * An independent, valid output.
 *
 * @throws ChatError `invalid_response`.
 */
export function createOutput(input: z.input<typeof Output>): Output {
  return validate(Output, input);
}
