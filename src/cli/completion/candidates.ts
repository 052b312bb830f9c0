/** What may stand where the cursor is on a command line: decided from the program's commands, options and arguments. */
import type { Argument, Command, Option } from 'commander';

/** One word that may stand there, with a few words about it. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** What may stand there: words that are known here, or things of a kind that others know. */
export type Completion =
  | { readonly kind: 'words'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'runs' | 'agents' | 'files' | 'folders' };

/** Names of arguments and of options' values that say what they are. */
const kinds: Readonly<Record<string, Exclude<Completion['kind'], 'words'>>> = {
  run: 'runs',
  runA: 'runs',
  runB: 'runs',
  agent: 'agents',
  file: 'files',
  folder: 'folders',
};

const nothing: Completion = { kind: 'words', candidates: [] };

/**
 * What may take the place of the last word.
 * @param words after the program's name; the last one is being written and may be empty
 */
export function completionOf(root: Command, words: readonly string[]): Completion {
  const current = words.at(-1) ?? '';
  let command = root;
  let position = 0;
  let awaiting: Option | undefined;
  let isPlain = false;
  for (const word of words.slice(0, -1)) {
    // Bash makes three words of --file=notes.txt.
    if (awaiting !== undefined && word === '=') continue;
    if (awaiting !== undefined) {
      awaiting = undefined;
    } else if (!isPlain && word === '--') {
      isPlain = true;
    } else if (!isPlain && word.startsWith('-')) {
      const option = word.includes('=') ? undefined : optionNamed(command, word);
      awaiting = option !== undefined && takesValue(option) ? option : undefined;
    } else {
      const next = position === 0 ? subcommand(command, word) : undefined;
      if (next === undefined) position += 1;
      else command = next;
    }
  }
  if (awaiting !== undefined) return optionValue(awaiting, current === '=' ? '' : current);
  if (!isPlain && current.startsWith('-')) return optionsOf(command, current);
  if (command.commands.length > 0 && position === 0) return subcommandsOf(command, current);
  return argumentAt(command, position, current);
}

function subcommand(command: Command, name: string): Command | undefined {
  return command.commands.find((each) => each.name() === name || each.aliases().includes(name));
}

/** Options of the program are known to its commands, too. */
function optionNamed(command: Command, name: string): Option | undefined {
  for (let each: Command | null = command; each !== null; each = each.parent) {
    const found = each.options.find(({ long, short }) => long === name || short === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function optionValue({ argChoices, flags }: Option, prefix: string): Completion {
  const name = /[<[]([\w-]+)/.exec(flags)?.[1] ?? '';
  return argChoices === undefined ? ofKind(name) : choices(argChoices, prefix);
}

function argumentAt(command: Command, position: number, prefix: string): Completion {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const found: Argument | undefined =
    registeredArguments[position] ?? (last?.variadic === true ? last : undefined);
  if (found === undefined) return nothing;
  return found.argChoices === undefined ? ofKind(found.name()) : choices(found.argChoices, prefix);
}

function ofKind(name: string): Completion {
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  return kind === undefined ? nothing : { kind };
}

function optionsOf(command: Command, prefix: string): Completion {
  const help = command.createHelp();
  const own = help.visibleOptions(command);
  const inherited = command.parent === null ? [] : help.visibleOptions(command.parent);
  const candidates = new Map<string, Candidate>();
  for (const { long, short, description } of [...own, ...inherited]) {
    const value = long ?? short ?? '';
    // The program's version is no matter of its commands.
    if (value === '--version' && command.parent !== null) continue;
    if (!candidates.has(value)) candidates.set(value, { value, about: description });
  }
  return { kind: 'words', candidates: startingWith([...candidates.values()], prefix) };
}

function subcommandsOf(command: Command, prefix: string): Completion {
  const candidates = command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), about: each.summary() || each.description() }));
  return { kind: 'words', candidates: startingWith(candidates, prefix) };
}

function choices(values: readonly string[], prefix: string): Completion {
  const candidates = values.map((value) => ({ value, about: '' }));
  return { kind: 'words', candidates: startingWith(candidates, prefix) };
}

/** Those whose value starts with what is written already. */
export function startingWith(
  candidates: readonly Candidate[],
  prefix: string,
): readonly Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(prefix));
}
