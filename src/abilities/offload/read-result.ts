/** The tool `read_result`: shows the rest of a result that was too large to be shown at once. */
import { z } from 'zod';
import { EverloopError } from '../../everloop-error.ts';
import type { Tool, ToolContext } from '../../tools/define-tool.ts';
import { defineTool, RetryableError } from '../../tools/define-tool.ts';
import { maxPageCharacters, pageOf } from './text-page.ts';

const maxLines = 2_000;

/** Added by itself to the tools of an agent whose results may be too large; see `withReadResult`. */
export const readResult: Tool = defineTool({
  name: 'read_result',
  description:
    'Shows the rest of a tool result that was too large to be shown at once, by lines; a very long line counts ' +
    `as several. At most ${maxLines} lines and ${maxPageCharacters} characters at a time.`,
  input: z.strictObject({
    result: z.string().describe('The hash that the note in the shortened result names.'),
    offset: z.int().min(1).default(1).describe('Number of the first line to show.'),
    limit: z.int().min(1).max(maxLines).default(maxLines).describe('Lines to show at most.'),
  }),
  effect: 'none',
  // A page is never too large itself: a code unit takes three bytes at most, and the note is short.
  maxResultBytes: 3 * maxPageCharacters + 1_000,
  async execute({ result, offset, limit }, { blobs }) {
    const whole = textOf(await kept(blobs, result.trim().toLowerCase()));
    const { text, last, lines } = pageOf(whole, offset, limit);
    if (last < offset) throw new Error(`offset ${offset} is past the end: it has ${lines} lines`);
    const more = last < lines ? `; read on with offset ${last + 1}` : '';
    const note = `[lines ${offset} to ${last} of ${lines}${more}]`;
    return text.endsWith('\n') ? `${text}${note}` : `${text}\n${note}`;
  },
});

async function kept(blobs: ToolContext['blobs'], hash: string): Promise<Uint8Array> {
  try {
    return await blobs.get(hash);
  } catch (error) {
    if (!(error instanceof EverloopError)) throw error;
    if (error.code === 'blob_store_failed') {
      throw new RetryableError('the store of results cannot be read now', { cause: error });
    }
    throw new Error(
      'nothing is kept under this hash. Copy it from the note in the shortened result, all 64 digits; if it is the right one, the result is gone: call its tool again',
    );
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error('this is no text: only results of tools can be read');
  }
}
