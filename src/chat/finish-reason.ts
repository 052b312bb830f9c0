/** Why a model stopped. */
import * as z from 'zod/mini';

/**
 * `stop`: natural end or stop sequence; `length`: incomplete, going on is the remedy; `tool_calls`;
 * `content_filter`: cut by the provider's policy; `refusal`: the model declined; `other`: known to be
 * none of these, never a default for not having looked.
 */
export const FinishReason = z.enum([
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'refusal',
  'other',
]);
export type FinishReason = z.infer<typeof FinishReason>;
