/** `everloop init`: writes a starter project. */
import { readdir } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { EverloopError } from '../everloop-error.ts';
import { starterDependencies, writeStarter } from './init-files.ts';
import type { Cli } from './program.ts';
import { writeJson, writeLine, writeNote } from './terminal.ts';

interface InitOptions {
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addInit(root: Command, cli: Cli): void {
  root
    .command('init')
    .summary('write a starter project')
    .description(
      'Writes a starter project: configuration, a tool, a test that needs no key, Dockerfile. No file that is there is ever changed.',
    )
    .argument('[folder]', 'where; the current folder when not said', '.')
    .option('--force', 'also into a folder that is not empty: what it has is kept')
    .option('--json', 'one object instead of text')
    .action((folder: string, options: InitOptions) => init(cli, folder, options));
}

async function init(cli: Cli, name: string, options: InitOptions): Promise<void> {
  const { terminal } = cli;
  const folder = resolve(terminal.directory, name);
  const there = await entriesOf(folder, name);
  if (there.length > 0 && options.force !== true) {
    throw new EverloopError('invalid_input', `the folder ${name} is not empty`, {
      hint: 'choose another folder, or add --force: files that are there are kept as they are',
    });
  }
  const { written, kept } = await writeStarter(folder);
  if (options.json === true) {
    writeJson(terminal, { folder, written, kept });
    return;
  }
  for (const path of written) writeLine(terminal, `written  ${path}`);
  for (const path of kept) writeLine(terminal, `kept     ${path}`);
  writeNote(terminal, 'Next:');
  const place = relative(terminal.directory, folder);
  if (place !== '') writeNote(terminal, `  cd ${place}`);
  // A manifest of the project's own does not name what the files import.
  const missing = kept.includes('package.json') ? await starterDependencies() : [];
  writeNote(terminal, `  npm install ${missing.join(' ')}`.trimEnd());
  if (missing.length === 0) writeNote(terminal, '  npm test');
  writeNote(terminal, '  OPENAI_API_KEY=… npx everloop dev');
}

/** What is in the folder; a repository's own files do not count, and a folder that is not there is empty. */
async function entriesOf(folder: string, name: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((entry) => entry !== '.git');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return [];
    throw new EverloopError('invalid_input', `${name} is no folder that can be read (${code})`, {
      hint: 'choose another folder',
      cause: error,
    });
  }
}
