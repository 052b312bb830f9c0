/** Makes a citation of what an annotation says. */
import type { Citation } from '../../chat/citation.ts';
import { isUriWithHost } from '../../chat/is-uri.ts';
import { hasSurroundingSpace } from '../../chat/white-space.ts';

/**
 * A URL becomes a `uri` citation where it names scheme and host, otherwise a `reference`, as does anything
 * else that names the source. Undefined for what names no source. Offsets into the text have no place in
 * the protocol.
 */
export function citationOf(
  source: unknown,
  title?: unknown,
  quote?: unknown,
): Citation | undefined {
  const value = text(source);
  if (value === undefined) return undefined;
  const name = text(title);
  return {
    source: { kind: isUriWithHost(value) ? 'uri' : 'reference', value },
    ...(name === undefined ? {} : { title: name }),
    ...(typeof quote === 'string' && quote !== '' && quote.isWellFormed() ? { quote } : {}),
  };
}

/** Text that a citation can hold, without surrounding white space, or undefined. */
function text(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value.isWellFormed()) return undefined;
  const trimmed = value.trim();
  return trimmed === '' || hasSurroundingSpace(trimmed) ? undefined : trimmed;
}
