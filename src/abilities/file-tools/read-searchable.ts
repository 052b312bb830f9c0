/** Reads a file for a search, unless it is not worth searching. */
import { binaryType, sniffedBytes } from './file-type.ts';
import type { Workspace } from './workspace.ts';
import { WorkspaceError } from './workspace.ts';

/** Larger files are data or generated; reading them would hold up the search of everything else. */
const maxFileBytes = 4 * 1024 * 1024;
/** Read first, to leave the others alone after a look; most source files end before. */
const firstBytes = Math.max(sniffedBytes, 64 * 1024);

/** The lines of a file, or why it was skipped, in words that follow a count. */
type Searchable =
  | { readonly kind: 'text'; readonly lines: readonly string[] }
  | { readonly kind: 'skipped'; readonly reason: string };

/** Reads a file that a walk has found. Rejects with what is no refusal, such as RetryableError. */
export async function readSearchable(workspace: Workspace, path: string): Promise<Searchable> {
  try {
    const first = await workspace.read(path, { start: 0, length: firstBytes });
    if (first.size > maxFileBytes) return skipped('larger than 4 MiB');
    if (binaryType(first.bytes) !== undefined) return skipped('binary');
    const whole =
      first.size <= first.bytes.length
        ? first
        : await workspace.read(path, { start: 0, length: maxFileBytes });
    return { kind: 'text', lines: linesOf(whole.bytes) };
  } catch (error) {
    if (error instanceof WorkspaceError) return skipped('unreadable');
    throw error;
  }
}

function linesOf(bytes: Uint8Array): string[] {
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function skipped(reason: string): Searchable {
  return { kind: 'skipped', reason };
}
