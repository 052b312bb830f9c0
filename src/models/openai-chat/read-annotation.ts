/** Reads an annotation of the answer as a citation. */
import type { Citation } from '../../chat/citation.ts';
import { isUriWithHost } from '../../chat/is-uri.ts';
import { hasSurroundingSpace } from '../../chat/white-space.ts';
import { membersOf } from './members-of.ts';

/**
 * A URL annotation becomes a `uri` citation where its URL names scheme and host, otherwise a `reference`;
 * a file annotation becomes a `reference` to the file id. Undefined for what names no source. Offsets
 * into the text have no place in the protocol.
 */
export function readAnnotation(annotation: unknown): Citation | undefined {
  const members = membersOf(annotation);
  const url = membersOf(members?.['url_citation']);
  if (url !== undefined) {
    const value = text(url['url']);
    if (value === undefined) return undefined;
    const title = text(url['title']);
    return {
      source: { kind: isUriWithHost(value) ? 'uri' : 'reference', value },
      ...(title === undefined ? {} : { title }),
    };
  }
  const value =
    text(membersOf(members?.['file_citation'])?.['file_id']) ?? text(members?.['file_id']);
  return value === undefined ? undefined : { source: { kind: 'reference', value } };
}

/** Text that a citation can hold, without surrounding white space, or undefined. */
function text(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value.isWellFormed()) return undefined;
  const trimmed = value.trim();
  return trimmed === '' || hasSurroundingSpace(trimmed) ? undefined : trimmed;
}
