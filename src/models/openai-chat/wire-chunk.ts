/** The members of a streamed chunk that are read; all others are ignored, and null counts as absent. */
import * as z from 'zod/mini';

const text = z.nullish(z.string());

/** A piece of a tool call. Only the first piece of a call is sure to carry id and name. */
export const WireToolCall = z.object({
  index: z.nullish(z.int()),
  id: text,
  function: z.nullish(z.object({ name: text, arguments: text })),
  custom: z.optional(z.unknown()),
});
export type WireToolCall = z.infer<typeof WireToolCall>;

/** Token counts, kept as they came: servers leave out, null and extend the breakdowns. */
export const WireUsage = z.record(z.string(), z.unknown());
export type WireUsage = z.infer<typeof WireUsage>;

/** One chunk. The choices are empty on usage chunks and on the first chunk of some servers. */
export const WireChunk = z.object({
  id: text,
  model: text,
  created: z.nullish(z.number()),
  service_tier: text,
  system_fingerprint: text,
  usage: z.nullish(WireUsage),
  choices: z.nullish(
    z.array(
      z.object({
        index: z.nullish(z.int()),
        finish_reason: text,
        delta: z.nullish(
          z.object({
            content: text,
            refusal: text,
            tool_calls: z.nullish(z.array(WireToolCall)),
            function_call: z.optional(z.unknown()),
            // Search models send annotations on the delta, although the documented delta has none.
            annotations: z.nullish(z.array(z.unknown())),
          }),
        ),
      }),
    ),
  ),
});
export type WireChunk = z.infer<typeof WireChunk>;
