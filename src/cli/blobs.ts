/** `everloop blobs`: looks after the blob store. */
import type { Command } from 'commander';
import type { BlobCount, Garbage } from '../client/collect-blobs.ts';
import type { Config } from '../config.ts';
import type { EngineAddress } from '../engine/connect.ts';
import { EverloopError } from '../everloop-error.ts';
import { confirm } from './confirm.ts';
import type { Runs } from './engine.ts';
import { exitCode } from './exit-codes.ts';
import { counted, formatBytes, formatCount } from './format.ts';
import { addValue } from './options.ts';
import type { Cli } from './program.ts';
import { withProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { printable, writeJson, writeLine, writeNote } from './terminal.ts';
import { toDuration } from './to-duration.ts';

interface GcOptions {
  readonly minAge: string;
  readonly namespace?: readonly string[];
  readonly apply?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Longer than a call that has put a blob takes to say so in its run's history. */
const defaultMinAge = '24 hours';

/** Adds the command to the program. */
export function addBlobs(root: Command, cli: Cli): void {
  root
    .command('blobs')
    .summary('find and remove blobs that nothing needs')
    .command('gc')
    .summary('find blobs that nothing needs, and remove them with --apply')
    .description(
      'Finds blobs that no history on the server names, and nothing that those name. Changes nothing without --apply. Where the server cannot be asked whole, nothing is removed.',
    )
    .option(
      '--min-age <duration>',
      'younger blobs stay: a run may be about to name them',
      defaultMinAge,
    )
    .option(
      '--namespace <name>',
      "another namespace whose runs use the store, beside the project's; may be given more than once",
      addValue,
    )
    .option('--apply', 'remove what was found')
    .option('-y, --yes', 'do not ask, where no run names any blob of the store')
    .option('--json', 'one object instead of text')
    .action((options: GcOptions) => collect(cli, options));
}

async function collect(cli: Cli, options: GcOptions): Promise<void> {
  const { terminal } = cli;
  const { apply = false, yes = false, json = false } = options;
  const minAgeMs = /^0+$/.test(options.minAge) ? 0 : await toDuration(options.minAge, '--min-age');
  const config = await cli.config();
  const namespaces = [...new Set([config.namespace, ...(options.namespace ?? [])])];
  const { anyEngine, hasRuns, leaveEngine } = await import('./engine.ts');
  const { removeGarbage } = await import('../client/collect-blobs.ts');
  if (!(await hasRuns(config))) {
    throw new EverloopError('engine_unreachable', 'there is no server that knows of any run', {
      hint: 'name the server whose runs use this blob store in TEMPORAL_ADDRESS',
    });
  }
  const engine = await anyEngine(terminal, config, 'blobs gc');
  try {
    const { address } = engine.address;
    const found = await find(terminal, config, engine.address, namespaces, minAgeMs);
    if (!json)
      writeGarbage(terminal, found, options.minAge, `${namespaces.join(', ')} at ${address}`);
    const isAllowed = apply && (await isMeant(terminal, found, yes));
    const removed = isAllowed
      ? await withProgress(terminal, 'removing', () => removeGarbage(config.blobs, found))
      : undefined;
    if (apply && !isAllowed) cli.exitWith(exitCode.failed);
    if (json) {
      const { hashes, putBefore, ...counts } = found;
      const what = removed && { removed: removed.removed, removedDrafts: removed.drafts.count };
      writeJson(terminal, { namespaces, address, ...counts, applied: isAllowed, ...what });
      return;
    }
    if (removed !== undefined) {
      const { removed: blobs, drafts } = removed;
      writeLine(terminal, `removed ${counted(blobs, 'blob')}, ${counted(drafts.count, 'draft')}`);
    } else if (found.garbage.count + found.drafts.count > 0) {
      writeNote(terminal, 'Nothing was removed. To do so: everloop blobs gc --apply');
    }
  } finally {
    await leaveEngine(engine);
  }
}

async function find(
  terminal: Terminal,
  config: Config,
  address: EngineAddress,
  namespaces: readonly string[],
  minAgeMs: number,
): Promise<Garbage> {
  const { connectRuns } = await import('./engine.ts');
  const { findGarbage } = await import('../client/collect-blobs.ts');
  const runs: Runs[] = [];
  try {
    for (const namespace of namespaces) {
      runs.push(await connectRuns({ ...config, namespace }, address));
    }
    const clients = runs.map(({ client }) => client);
    return await withProgress(terminal, 'reading histories', (update) =>
      findGarbage(clients, config.blobs, {
        minAgeMs,
        told: (count) => update(`reading histories: ${counted(count, 'run')} so far`),
      }),
    );
  } catch (error) {
    writeNote(terminal, 'Nothing was removed: not all is known of what is needed.');
    throw error;
  } finally {
    for (const { close } of runs) await close();
  }
}

/** A store of which the server names nothing at all is most likely the store of another server. */
async function isMeant(terminal: Terminal, found: Garbage, yes: boolean): Promise<boolean> {
  if (found.live.count > 0 || found.garbage.count === 0) return true;
  writeNote(
    terminal,
    'No run of this server names any blob of this store: is it the right server?',
  );
  return await confirm(terminal, `Remove ${counted(found.garbage.count, 'blob')}?`, yes);
}

function writeGarbage(terminal: Terminal, found: Garbage, minAge: string, where: string): void {
  const { all, live, young, garbage, drafts, histories } = found;
  writeLine(
    terminal,
    printable(
      `${sized(all, 'blob')} in the store; histories read in ${where}: ${formatCount(histories)}`,
    ),
  );
  writeLine(terminal, `needed:       ${sized(live, 'blob')}`);
  writeLine(terminal, printable(`too young:    ${sized(young, 'blob')}, less than ${minAge} old`));
  writeLine(terminal, `could go:     ${sized(garbage, 'blob')}`);
  writeLine(terminal, `broken off:   ${sized(drafts, 'draft')}`);
}

function sized({ count, bytes }: BlobCount, noun: string): string {
  return `${counted(count, noun)}, ${formatBytes(bytes)}`;
}
