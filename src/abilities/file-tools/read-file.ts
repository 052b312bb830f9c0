/** The tool `read_file`. */
import { z } from 'zod';
import type { Tool } from '../../tools/define-tool.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { binaryType } from './file-type.ts';
import type { Line } from './line-splitter.ts';
import { LineSplitter } from './line-splitter.ts';
import { maxCharacters, maxPageBytes, Page } from './page.ts';
import type { Workspace } from './workspace.ts';
import { shownPath, toWorkspacePath } from './workspace-path.ts';

const maxLines = 2_000;
/** Read at a time: most source files in one piece, large logs without holding them. */
const pieceBytes = 256 * 1024;
/** Of one line; leaves room on a page for its number and the note that it was cut. */
const maxLineCharacters = maxCharacters - 200;

/** Shows a text file of the workspace by lines, each with its number. */
export function createReadFile(workspace: Workspace): Tool {
  return defineTool({
    name: 'read_file',
    description:
      'Reads a text file of the workspace. Each line is shown as its number, a tab and its text; ' +
      `at most ${maxLines} lines and ${maxCharacters} characters at a time.`,
    input: z.strictObject({
      path: z.string().describe('File to read, relative to the root of the workspace.'),
      offset: z.int().min(1).default(1).describe('Number of the first line to show.'),
      limit: z.int().min(1).max(maxLines).default(maxLines).describe('Lines to show at most.'),
    }),
    effect: 'none',
    maxResultBytes: maxPageBytes,
    async execute({ path: text, offset, limit }, { signal }) {
      const path = toWorkspacePath(text);
      const splitter = new LineSplitter(maxLineCharacters);
      const page = new Page(limit);
      const notes: string[] = [];
      let last = 0;
      for await (const line of linesOf(workspace, path, splitter, signal)) {
        last = line.number;
        if (line.number < offset) continue;
        if (!page.add(shown(line))) {
          notes.push(`more lines follow: read on with offset ${line.number}`);
          break;
        }
      }
      if (page.length === 0 && offset > 1) {
        throw new Error(
          `offset ${offset} is past the end: ${shownPath(path)} has ${counted(last)}`,
        );
      }
      if (splitter.replaced) notes.push('not valid UTF-8: the bytes that are not show as \ufffd');
      if (splitter.crlf) notes.push('lines end with CR LF');
      return page.text('(empty file)', notes);
    },
  });
}

async function* linesOf(
  workspace: Workspace,
  path: string,
  splitter: LineSplitter,
  signal: AbortSignal,
): AsyncGenerator<Line> {
  for (let start = 0; ; start += pieceBytes) {
    signal.throwIfAborted();
    const { bytes, size } = await workspace.read(path, { start, length: pieceBytes });
    if (start === 0) refuseBinary(path, bytes, size);
    yield* splitter.push(bytes);
    if (bytes.length < pieceBytes) break;
  }
  yield* splitter.end();
}

function refuseBinary(path: string, bytes: Uint8Array, size: number): void {
  const type = binaryType(bytes);
  if (type === undefined) return;
  const what = `${shownPath(path)} (${type}, ${size} bytes)`;
  if (type.startsWith('image/')) {
    throw new Error(`${what}: images cannot be shown yet; go on without seeing it`);
  }
  throw new Error(`${what}: only text in UTF-8 can be read; look for a text version of it`);
}

function shown({ number, text, cut }: Line): string {
  const note =
    cut === 0 ? '' : ` [… ${cut} more characters in this line: use search to find text in it]`;
  return `${number}\t${text}${note}`;
}

function counted(lines: number): string {
  return lines === 1 ? '1 line' : `${lines} lines`;
}
