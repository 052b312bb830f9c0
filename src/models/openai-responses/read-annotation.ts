/** Reads an annotation of a text as a citation. */
import type { Citation } from '../../chat/citation.ts';
import { citationOf } from '../adapter/citation-of.ts';
import { membersOf } from '../adapter/members-of.ts';

/** A URL is the source, or a file id with the file's name as title; undefined for what names neither. */
export function readAnnotation(annotation: unknown): Citation | undefined {
  const members = membersOf(annotation);
  return (
    citationOf(members?.['url'], members?.['title']) ??
    citationOf(members?.['file_id'], members?.['filename'])
  );
}
