/** How local provider servers cut what they say into pieces, and name it. */
import { createHash } from 'node:crypto';

/** One SSE event; some APIs also name each event. */
export function sseEvent(data: object, name?: string): string {
  const event = name === undefined ? '' : `event: ${name}\n`;
  return `${event}data: ${JSON.stringify(data)}\n\n`;
}

/** Pieces about as long as tokens: a word with the space after it, long ones in several. */
export function words(text: string | undefined): string[] {
  return ((text ?? '').match(/\s*\S+\s?|\s+/gu) ?? []).flatMap((word) => fragments(word, 24));
}

/** Pieces of at most so many code points. */
export function fragments(text: string, length: number): string[] {
  const points = Array.from(text);
  return Array.from({ length: Math.ceil(points.length / length) }, (_, at) =>
    points.slice(at * length, (at + 1) * length).join(''),
  );
}

/** Letters and digits that look like a provider's ids; the same seed gives the same ones. */
export function idFrom(seed: string, length: number): string {
  return createHash('sha512')
    .update(seed)
    .digest('base64')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, length);
}
