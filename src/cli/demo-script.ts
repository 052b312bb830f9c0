/** What the demo's model says without a key: its answers are made from the results of the tools, as a model's would be. */
import type { Request } from '../chat/request.ts';
import { toolOutputText } from '../chat/text-of.ts';
import { demoReportName } from '../config-built-in.ts';
import type { ScriptedAnswer } from '../models/scripted.ts';
import type { DemoToolResult } from './demo-report.ts';
import { composeReport, fileCount, readListing } from './demo-report.ts';

/** Enough to know a project by. */
const filesToRead = 3;

/** The answer to a request: list, read, search, write, done, and once more in short. */
export function demoScript(request: Request): ScriptedAnswer {
  const results = resultsIn(request);
  const position = request.messages.filter(({ role }) => role === 'assistant').length;
  const listing = readListing(results.find(({ tool }) => tool === 'list_files')?.text ?? '');
  const read = results.filter(({ tool }) => tool === 'read_file');
  const found = results.find(({ tool }) => tool === 'search')?.text ?? '';
  const report = () => composeReport({ listing, read, found });
  switch (position) {
    case 0:
      return {
        text: 'I will look at the files of this folder first, then read the ones that tell most, search for what is left to do, and write a short report about all of it.',
        calls: [{ name: 'list_files', input: {} }],
      };
    case 1:
      return {
        text: `I see ${fileCount(listing)}. I read the ones that tell what this is.`,
        calls: worthReading(listing.files).map((path) => ({ name: 'read_file', input: { path } })),
      };
    case 2:
      return {
        text: 'Now I search for open ends.',
        calls: [{ name: 'search', input: { pattern: 'TODO' } }],
      };
    case 3:
      return {
        text: 'I write the report.',
        calls: [{ name: 'write_file', input: { path: demoReportName, content: report() } }],
      };
    case 4:
      return {
        text: `The report is written: ${fileCount(listing)}, of which I read ${read.length}.`,
      };
    default:
      return {
        text: `In one sentence: ${fileCount(listing)}, and the report says what is in them.`,
      };
  }
}

/** README and manifest first, then whatever is nearest to the root. */
function worthReading(files: readonly string[]): readonly string[] {
  const known = [/^readme(\.\w+)?$/i, /^package\.json$/, /^(pyproject|cargo)\.toml$|^go\.mod$/i];
  const telling = known.flatMap((name) => files.find((file) => name.test(file)) ?? []);
  const texts = files.filter((file) =>
    /\.(md|txt|json|[cm]?[jt]s|py|go|rs|toml|ya?ml)$/.test(file),
  );
  const nearest = texts.toSorted((a, b) => a.split('/').length - b.split('/').length);
  return [...new Set([...telling, ...nearest])].slice(0, filesToRead);
}

function resultsIn({ messages }: Request): readonly DemoToolResult[] {
  const parts = messages.flatMap((message) => message.parts);
  const paths = new Map(
    parts.flatMap((part) =>
      part.kind === 'tool_call' ? [[part.toolCall.id, pathOf(part.toolCall.arguments)]] : [],
    ),
  );
  return parts.flatMap((part) => {
    if (part.kind !== 'tool_result') return [];
    const { id, name, output } = part.toolResult;
    return [{ tool: name, path: paths.get(id) ?? '', text: toolOutputText(output) ?? '' }];
  });
}

function pathOf(text: string | undefined): string {
  const input: unknown = JSON.parse(text ?? '{}');
  const hasPath = typeof input === 'object' && input !== null && 'path' in input;
  return hasPath ? String(input.path) : '';
}
