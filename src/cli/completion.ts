/** `everloop completion`: prints the script that lets a shell complete commands, and answers what the script asks. */
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { Argument } from 'commander';
import type { Candidate } from './completion/candidates.ts';
import { completionOf, startingWith } from './completion/candidates.ts';
import { oneLine } from './format.ts';
import type { Cli } from './program.ts';
import { printable, writeLine } from './terminal.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** Beside `src/` and beside `dist/`. */
const scripts = new URL('../../templates/completion/', import.meta.url);

/** Adds the command to the program, and the hidden one that its scripts call. */
export function addCompletion(root: Command, cli: Cli): void {
  root
    .command('completion')
    .summary('print a script that completes commands in your shell')
    .description(
      'Prints a script for your shell. For this terminal: source <(everloop completion bash); for all: put that line into ~/.bashrc or ~/.zshrc. For fish: everloop completion fish > ~/.config/fish/completions/everloop.fish',
    )
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .action(async (shell: (typeof shells)[number]) => {
      cli.terminal.stdout.write(await readFile(new URL(`everloop.${shell}`, scripts), 'utf8'));
    });
  root
    .command('complete', { hidden: true })
    .description(
      'Prints what may take the place of the last word: a value, a tab and a few words about it on each line, or :files or :folders.',
    )
    .argument('[words...]', 'the words after everloop, behind --')
    .action((words: string[]) => complete(root, cli, words));
}

async function complete(root: Command, cli: Cli, words: readonly string[]): Promise<void> {
  const { terminal } = cli;
  const completion = completionOf(root, words);
  if (completion.kind === 'files' || completion.kind === 'folders') {
    writeLine(terminal, `:${completion.kind}`);
    return;
  }
  const candidates =
    completion.kind === 'words'
      ? completion.candidates
      : startingWith(await namesOf(cli, completion.kind), words.at(-1) ?? '');
  for (const { value, about } of candidates) {
    writeLine(terminal, printable(`${value}\t${oneLine(about)}`));
  }
}

async function namesOf(cli: Cli, kind: 'agents' | 'runs'): Promise<Candidate[]> {
  const { agentNames, runIds } = await import('./completion/names.ts');
  return await (kind === 'agents' ? agentNames(cli) : runIds(cli));
}
