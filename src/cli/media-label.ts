/** Images, documents and sound in one line of text: a terminal shows that they are there, and what they are. */
import type { Media } from '../chat/media.ts';
import { formatBytes, oneLine, shorten } from './format.ts';

/** Longest name or address in a label. */
const placeLength = 100;

/** What the media is: `[image/png chart.png, 12 KB]`. May hold any text of others. */
export function mediaLabel({ mime, name, source }: Media): string {
  const what = name === undefined ? mime : `${mime} ${shorten(oneLine(name), placeLength)}`;
  return `[${what}, ${placeOf(source)}]`;
}

function placeOf(source: Media['source']): string {
  switch (source.kind) {
    case 'bytes':
      // Base64 writes three bytes as four characters, the last ones filled up.
      return formatBytes((source.bytes.replace(/=+$/, '').length * 3) / 4);
    case 'blob':
      return formatBytes(source.size);
    case 'uri':
      return shorten(source.uri, placeLength);
    case 'ref':
      return shorten(oneLine(source.ref), placeLength);
  }
}
