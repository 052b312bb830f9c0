/** The report of the scripted demo, made of nothing but what the tools have found. */
import { counted } from './format.ts';

/** A result of a tool, with what the call asked for. */
export interface DemoToolResult {
  readonly tool: string;
  /** Its `path` argument, where it has one. */
  readonly path: string;
  readonly text: string;
}

/** The files of a listing. */
export interface Listing {
  readonly files: readonly string[];
  /** Files that did not fit into the listing. */
  readonly more: number;
}

/** What the tools have found. */
export interface DemoFindings {
  readonly listing: Listing;
  readonly read: readonly DemoToolResult[];
  /** The output of the search. */
  readonly found: string;
}

const shownMatches = 10;

/** The output of list_files, understood: one path per line, notes in brackets below. */
export function readListing(output: string): Listing {
  const lines = output.split('\n').filter((line) => line !== '' && !output.startsWith('no file'));
  const more = lines.findLast((line) => /^\[\d+ more:/.test(line));
  return {
    files: lines.filter((line) => !/^\[.* .*\]$/.test(line)),
    more: Number(/\d+/.exec(more ?? '0')?.[0]),
  };
}

/** How many files a listing tells of. */
export function fileCount({ files, more }: Listing): string {
  return counted(files.length + more, 'file');
}

/** The report, in Markdown. */
export function composeReport({ listing, read, found }: DemoFindings): string {
  const matches = found.split('\n').filter((line) => /^[^:]+:\d+: /.test(line));
  const inFiles = new Set(matches.map((line) => line.slice(0, line.indexOf(':'))));
  const atLeast = found.includes('there are more matches') ? 'at least ' : '';
  const unseen = listing.more === 0 ? [] : [`| not listed | ${listing.more} |`];
  const rest = matches.length - shownMatches;
  return [
    '# What is in this folder',
    '',
    ...read.map(describe),
    '',
    `## ${fileCount(listing)}`,
    '',
    '| kind | files |',
    '| --- | ---: |',
    ...kindsOf(listing.files).map(([kind, count]) => `| ${kind} | ${count} |`),
    ...unseen,
    '',
    `## Left to do: ${atLeast}${counted(matches.length, 'line')} with TODO in ${counted(inFiles.size, 'file')}`,
    '',
    ...matches.slice(0, shownMatches).map((line) => `- \`${line.replaceAll('`', "'")}\``),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
    '',
  ].join('\n');
}

function describe({ path, text }: DemoToolResult): string {
  const lines = text.split('\n').flatMap((line) => /^\d+\t(.*)$/.exec(line)?.[1] ?? []);
  const heading = lines.find((line) => line.startsWith('# '))?.slice(2);
  const name = /"name":\s*"([^"]+)"/.exec(text)?.[1];
  const description = /"description":\s*"([^"]+)"/.exec(text)?.[1];
  const says = path.endsWith('.json') ? [name, description] : [heading];
  const known = says.filter((part) => part !== undefined).join(': ');
  const goesOn = text.includes('[more lines follow') ? 'the first ' : '';
  const size = `${goesOn}${counted(lines.length, 'line')}`;
  return `- **${path}**, ${size}${known === '' ? '' : `: ${known}`}`;
}

function kindsOf(files: readonly string[]): readonly (readonly [string, number])[] {
  const kinds = new Map<string, number>();
  for (const file of files) {
    const kind = /[^/.](\.\w+)$/.exec(file)?.[1] ?? 'other';
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}
