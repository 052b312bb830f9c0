/** Names what is wrong with a payload, for the one who wrote it. */
import type { core } from 'zod/mini';

/** All problems on one line, each with its path: `send.message: …; send.mode: …`. */
export function problemsOf(error: core.$ZodError, root: string): string {
  return error.issues
    .map((issue) => `${[root, ...issue.path].join('.')}: ${issue.message}`)
    .join('; ');
}
