/** How a server says that it has a history no longer. */

/** gRPC status codes of a history that is not there any more: INVALID_ARGUMENT, NOT_FOUND. */
const goneCodes = [3, 5];

/** Whether what was thrown says that there is no such history, whoever wrapped it. */
export function isGone(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('name' in error && error.name === 'WorkflowNotFoundError') return true;
  if ('code' in error && typeof error.code === 'number') return goneCodes.includes(error.code);
  return 'cause' in error && isGone(error.cause);
}
