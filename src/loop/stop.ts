/** Why a run ended, as data. */
import * as z from 'zod/mini';

/** The reasons for which a run stops. */
export const StopReason = z.enum([
  'completed',
  'max_iterations',
  'budget',
  'aborted',
  'cancelled',
  'error',
]);
export type StopReason = z.infer<typeof StopReason>;

/** The decision to stop. `detail` is one plain sentence; `errorType` is the failure type of the run's last error. */
export const Stop = z.object({
  reason: StopReason,
  detail: z.string(),
  errorType: z.optional(z.string()),
});
export type Stop = z.infer<typeof Stop>;

/** The stop that is decided, and when; Workflow time in milliseconds since the epoch. */
export const StoppedAt = z.object({ at: z.int(), stop: Stop });
