/** Reads a citation of the answer, of which the protocol keeps the source, the title and the quote. */
import type { Citation } from '../../chat/citation.ts';
import { citationOf } from '../adapter/citation-of.ts';
import { membersOf } from '../adapter/members-of.ts';

/** Message metadata with the citations as they came: lists by the position of their part. */
export const citationsKey = 'anthropic/citations';

/** A web page is cited by its address, everything else by what names it; undefined for what names no source. */
export function readCitation(wire: unknown): Citation | undefined {
  const citation = membersOf(wire) ?? {};
  const quote = citation['cited_text'];
  switch (citation['type']) {
    case 'web_search_result_location':
      return citationOf(citation['url'], citation['title'], quote);
    case 'search_result_location':
      return citationOf(citation['source'], citation['title'], quote);
    default: {
      const title = citation['document_title'];
      const index = citation['document_index'];
      const nameless = typeof index === 'number' ? `document ${index}` : undefined;
      return citationOf(citation['file_id'] ?? title ?? nameless, title, quote);
    }
  }
}
