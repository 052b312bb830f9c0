/** Why a run ended, as data. */
import * as z from 'zod/mini';

export const StopReason = z.enum([
  'completed',
  'max_iterations',
  'budget',
  'aborted',
  'cancelled',
  'error',
]);
export type StopReason = z.infer<typeof StopReason>;

/** An error that a run met: `type` is a failure type, `message` says what happened and what to do. */
export const RunError = z.object({ type: z.string(), message: z.string() });
export type RunError = z.infer<typeof RunError>;

/** The decision to stop. `detail` is one plain sentence. */
export const Stop = z.object({
  reason: StopReason,
  detail: z.string(),
  error: z.optional(RunError),
});
export type Stop = z.infer<typeof Stop>;
