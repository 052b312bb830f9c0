/** What a model is told when tools that have had an effect are left out of what it remembers. */
import { shortName } from './placeholders.ts';

/** Calls that are named; a model that made more is told so. */
const named = 50;

/** A message that names the calls; undefined when there are none. */
export function discardedNote(
  calls: readonly {
    readonly name: string;
    readonly arguments?: string;
    readonly outcome: 'finished' | 'error' | 'unknown';
  }[],
): string | undefined {
  if (calls.length === 0) return undefined;
  const lines = calls.slice(0, named).map(({ name, arguments: input = '', outcome }) => {
    const call = `${shortName(name)} ${input === '{}' ? '' : input}`.trim();
    return `- ${call}${outcome === 'unknown' ? ' (outcome unknown)' : outcome === 'error' ? ' (failed)' : ''}`;
  });
  if (calls.length > named) lines.push(`- and ${calls.length - named} more`);
  return [
    'This conversation was taken back to an earlier point. You had already made these tool calls after it; they are not in the conversation any more, but what they did is done:',
    ...lines,
    'Check before making one of them again.',
  ].join('\n');
}
