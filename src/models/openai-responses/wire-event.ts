/** The members of stream events that are read; all others are ignored, and null counts as absent. */
import * as z from 'zod/mini';

const text = z.nullish(z.string());
/** Kept as it is; a text in pieces may be cut inside a code point, a name may not. */
const name = z.nullish(z.string().check(z.refine((one) => one.isWellFormed())));
const index = z.nullish(z.int().check(z.nonnegative()));

/** Any output item; what is read of it depends on its type. */
export const WireItem = z.looseObject({ type: z.string(), id: name });
export type WireItem = z.infer<typeof WireItem>;

/** A piece of a message or of a reasoning item, and its whole text once it is done. */
export const WireContent = z.looseObject({
  type: name,
  text,
  refusal: text,
  annotations: z.nullish(z.array(z.unknown())),
});
export type WireContent = z.infer<typeof WireContent>;

/** A message of the model. */
export const WireMessageItem = z.looseObject({
  id: name,
  status: name,
  phase: name,
  content: z.nullish(z.array(WireContent)),
});

/** A call of a function; its item id is no call id. */
export const WireCallItem = z.looseObject({
  id: name,
  status: name,
  call_id: name,
  name,
  arguments: text,
});

/** What the model thought: texts for readers, and the encrypted whole for the next request. */
export const WireReasoningItem = z.looseObject({
  id: name,
  status: name,
  summary: z.nullish(z.array(WireContent)),
  content: z.nullish(z.array(WireContent)),
  encrypted_content: name,
});

/** The response as a whole, which comes with the first and with the last events. */
export const WireResponse = z.looseObject({
  id: name,
  model: name,
  created_at: z.nullish(z.number()),
  service_tier: name,
  status: name,
  error: z.optional(z.unknown()),
  incomplete_details: z.nullish(z.looseObject({ reason: name })),
  output: z.nullish(z.array(WireItem)),
  // Kept as it came: servers leave out, null and extend the breakdowns.
  usage: z.nullish(z.record(z.string(), z.unknown())),
});
export type WireResponse = z.infer<typeof WireResponse>;

/** Every member that any event has which is read. */
export const WireEvent = z.looseObject({
  type: z.string(),
  response: z.nullish(WireResponse),
  item: z.nullish(WireItem),
  part: z.nullish(WireContent),
  output_index: index,
  content_index: index,
  summary_index: index,
  item_id: name,
  delta: text,
  text,
  refusal: text,
  arguments: text,
  annotation: z.optional(z.unknown()),
});
export type WireEvent = z.infer<typeof WireEvent>;
