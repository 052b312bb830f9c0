/** How long Temporal waits before the next attempt, when a provider or a tool says so. */

/** A day: who asks for more has sent no delay. */
const maxDelayMs = 24 * 60 * 60 * 1000;

/** The delay as Temporal takes it; undefined for what is none. The SDK ends the whole Worker over one that is not finite. */
export function toRetryDelay(milliseconds: number | undefined): number | undefined {
  if (milliseconds === undefined || !Number.isFinite(milliseconds) || milliseconds < 0) {
    return undefined;
  }
  return Math.min(Math.ceil(milliseconds), maxDelayMs);
}
