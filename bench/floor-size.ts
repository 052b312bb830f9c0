/** Keeps the floor a floor: a loop that grew would be easy to stay close to. */
import { readdirSync, readFileSync } from 'node:fs';

/** Lines of Workflow and Activities together, comments and blank lines included. */
export const floorLineLimit = 120;

/**
 * Lines of the floor's sources.
 * @throws Error when there are more than `floorLineLimit`
 */
export function assertFloorIsSmall(): number {
  const folder = new URL('./floor/', import.meta.url);
  const lines = readdirSync(folder)
    .map((file) => readFileSync(new URL(file, folder), 'utf8').trimEnd().split('\n').length)
    .reduce((sum, count) => sum + count, 0);
  if (lines > floorLineLimit) {
    throw new Error(`the floor has ${lines} lines, and ${floorLineLimit} are the most it may have`);
  }
  return lines;
}
