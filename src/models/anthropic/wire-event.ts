/** The members of streamed events that are read; all others are ignored, and null counts as absent. */
import * as z from 'zod/mini';

const text = z.nullish(z.string());
const index = z.int().check(z.nonnegative());

/** An object of which a reader looks up what it knows. */
const Members = z.record(z.string(), z.unknown());

/** Token counts, kept as they came. */
export const WireUsage = Members;
export type WireUsage = z.infer<typeof WireUsage>;

/** A block as it starts, or a piece of one; its `type` says which members it has. */
export const WireBlock = z.catchall(z.object({ type: z.string() }), z.unknown());
export type WireBlock = z.infer<typeof WireBlock>;

/** The events that say something; any other type is a ping, or newer than this reader. */
export const WireEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message_start'),
    message: z.object({ id: text, model: text, usage: z.nullish(WireUsage) }),
  }),
  z.object({ type: z.literal('content_block_start'), index, content_block: WireBlock }),
  z.object({ type: z.literal('content_block_delta'), index, delta: WireBlock }),
  z.object({ type: z.literal('content_block_stop'), index }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({
      stop_reason: text,
      stop_sequence: text,
      stop_details: z.nullish(Members),
      container: z.nullish(Members),
    }),
    usage: z.nullish(WireUsage),
  }),
  z.object({ type: z.literal('message_stop') }),
  z.object({ type: z.literal('error'), error: z.nullish(Members) }),
]);
export type WireEvent = z.infer<typeof WireEvent>;

/** The types of {@link WireEvent}. */
export const knownEvents: ReadonlySet<string> = new Set<WireEvent['type']>([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'error',
]);
