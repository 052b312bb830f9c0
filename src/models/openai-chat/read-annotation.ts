/** Reads an annotation of the answer as a citation. */
import type { Citation } from '../../chat/citation.ts';
import { citationOf } from '../adapter/citation-of.ts';
import { membersOf } from '../adapter/members-of.ts';

/** A URL or a file id is the source; undefined for what names none. */
export function readAnnotation(annotation: unknown): Citation | undefined {
  const members = membersOf(annotation);
  const url = membersOf(members?.['url_citation']);
  if (url !== undefined) return citationOf(url['url'], url['title']);
  return (
    citationOf(membersOf(members?.['file_citation'])?.['file_id']) ??
    citationOf(members?.['file_id'])
  );
}
