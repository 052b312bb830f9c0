/** `everloop export`: writes a run as a file: its messages, a document to read, or its whole history. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Config } from '../config.ts';
import type { Runs } from './engine.ts';
import { counted } from './format.ts';
import type { Cli } from './program.ts';
import { writeNote } from './terminal.ts';

const formats = ['json', 'markdown', 'history'] as const;
type Format = (typeof formats)[number];

interface ExportOptions {
  readonly format: Format;
  readonly out?: string;
  readonly force?: boolean;
}

/** Adds the command to the program. */
export function addExport(root: Command, cli: Cli): void {
  root
    .command('export')
    .summary('write a run as JSON, as Markdown, or as its history')
    .description(
      'Writes a run, from the server and the blob store: no Worker needs to be there. json: its messages and its result; markdown: a document to read; history: what everloop replay reads.',
    )
    .argument('<run>', 'id of the run')
    .addOption(new Option('--format <format>', 'what is written').choices(formats).default('json'))
    .option('--out <file>', 'write to this file; else to standard output')
    .option('--force', 'replace the file if it exists')
    .action((id: string, options: ExportOptions) => exportRun(cli, id, options));
}

async function exportRun(cli: Cli, id: string, options: ExportOptions): Promise<void> {
  const { terminal } = cli;
  const { format, out, force = false } = options;
  const config = await cli.config();
  const { checkTarget, writeExport } = await import('./write-export.ts');
  const target = out === undefined ? undefined : { file: out, force };
  if (target !== undefined) await checkTarget(terminal, target);
  const { anyEngine, hasRuns, withRuns } = await import('./engine.ts');
  const { noSuchRun } = await import('../client/client-errors.ts');
  if (!(await hasRuns(config))) throw noSuchRun(id);
  const engine = await anyEngine(terminal, config, 'export');
  const text = await withRuns(config, engine, (runs) =>
    format === 'history' ? historyOf(runs, id) : transcriptOf(config, runs, id, format),
  );
  await writeExport(terminal, text, target);
  if (out !== undefined) {
    writeNote(terminal, `${out}: ${counted(Buffer.byteLength(text), 'byte')}`);
  }
}

async function historyOf({ everloop }: Runs, id: string): Promise<string> {
  const { toHistoryFile } = await import('../replay/recorded-run.ts');
  return `${toHistoryFile(await everloop.run(id).recorded())}\n`;
}

async function transcriptOf(
  config: Config,
  runs: Runs,
  id: string,
  format: Exclude<Format, 'history'>,
): Promise<string> {
  const { toRunExport } = await import('./export-format.ts');
  const { messagesOf } = await import('./messages-of.ts');
  const snapshot = await runs.everloop.run(id).snapshot();
  const { state } = snapshot;
  const messages = state === undefined ? [] : await messagesOf(config, runs, state);
  const content = toRunExport(snapshot, messages);
  if (format === 'json') return `${JSON.stringify(content)}\n`;
  const { toMarkdown } = await import('./transcript-markdown.ts');
  return toMarkdown(content);
}
