/** What to type for a call that waits for somebody. */
import type { Wait } from '../loop/loop-state.ts';

/** The command, or those to choose from. */
export function commandsFor(runId: string, callId: string, kind: Wait['kind']): string {
  if (kind === 'answer') return `everloop answer ${runId} ${callId} <text>`;
  return `everloop approve ${runId} ${callId} (or: everloop deny ${runId} ${callId})`;
}
