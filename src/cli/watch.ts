/** `everloop watch`: tells what happens in a run, as it happens and from any event on. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { RunHandle } from '../client/run-handle.ts';
import type { Config } from '../config.ts';
import type { RunEvent } from '../loop/events.ts';
import { isOpen } from '../loop/run-status.ts';
import type { Runs } from './engine.ts';
import { exitCode } from './exit-codes.ts';
import type { FollowOptions } from './follow-run.ts';
import { Interrupted } from './interrupted.ts';
import type { Cli } from './program.ts';
import type { RunView } from './run-view.ts';
import { createJsonView, createTextView, toEnding } from './run-view.ts';
import type { Terminal } from './terminal.ts';
import { writeNote } from './terminal.ts';
import { createTreeView } from './tree-view.ts';

interface WatchOptions {
  readonly after?: string;
  readonly tree?: boolean;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addWatch(root: Command, cli: Cli): void {
  root
    .command('watch')
    .summary('follow a run from outside, to its end')
    .description(
      'Tells the durable events of a run as they happen, each once, until the run has ended; needs no Worker, and goes on when the server comes back. Ctrl-C ends it, and the run goes on.',
    )
    .argument('<run>', 'id of the run')
    .option('--after <event>', 'only what came after the event with this id')
    .addOption(
      new Option('--tree', 'its sub-agents and forks as well, each line marked').conflicts('after'),
    )
    .option('--json', 'one event per line')
    .action((id: string, options: WatchOptions) => watch(cli, id, options));
}

type RunEndEvent = Extract<RunEvent, { type: 'run-end' }>;

async function watch(
  cli: Cli,
  id: string,
  { after, tree = false, json = false }: WatchOptions,
): Promise<void> {
  const { terminal } = cli;
  const config = await cli.config();
  const { followTree } = await import('./follow-tree.ts');
  const { followEvents } = await import('./follow-run.ts');
  // Nothing but the first look may fail: a run that is there is watched through every absence of its server.
  let first: Connected | undefined = await connect(config);
  await sayWhatIsShown(terminal, first.runs, id);
  const view = viewOf(terminal, id, { tree, json });
  let last = after;
  let end: RunEndEvent | undefined;
  try {
    const options: FollowOptions = {
      runId: id,
      ...(after !== undefined && { after }),
      async connect() {
        const connected = first ?? (await connect(config));
        first = undefined;
        return connected;
      },
      onEvent(event) {
        if (event.runId === id) last = event.id;
        if (event.runId === id && event.type === 'run-end') end = event;
        view.event(event);
      },
    };
    // Who watches from the last event on is told none, and yet how it ended.
    const atEnd = async (run: RunHandle) => end?.data.stopReason ?? (await run.result()).stopReason;
    const reason = await (tree
      ? followTree(terminal, { ...options, forks: true, toTheEnd: true }, atEnd)
      : followEvents(terminal, options, atEnd));
    if (!json) view.end(end && toEnding(end));
    cli.exitWith(reason === 'completed' ? exitCode.ok : exitCode.failed);
  } catch (error) {
    if (error instanceof Interrupted) {
      view.end();
      sayHowToGoOn(terminal, id, tree ? ' --tree' : afterOption(last));
    }
    throw error;
  }
}

interface Connected {
  readonly runs: Runs;
  readonly address: string;
}

async function connect(config: Config): Promise<Connected> {
  const { connectRuns, runningEngine } = await import('./engine.ts');
  const { address } = await runningEngine(config);
  return { runs: await connectRuns(config, address), address: address.address };
}

/** All that is told is a result here, so that a file has it in order. */
function viewOf(
  terminal: Terminal,
  id: string,
  { tree, json }: { readonly tree: boolean; readonly json: boolean },
): RunView {
  if (json) return createJsonView(terminal, id);
  if (tree) return createTreeView(terminal);
  return createTextView({ ...terminal, stderr: terminal.stdout }, { beginning: true });
}

/** The client that was asked stays open only if it has answered. */
async function sayWhatIsShown(terminal: Terminal, runs: Runs, id: string): Promise<void> {
  try {
    const { status, workers, taskQueue } = await runs.everloop.run(id).snapshot();
    if (!isOpen(status)) return;
    writeNote(
      terminal,
      'Durable events only: what a model is saying, token by token, does not reach another process yet.',
    );
    if (workers > 0) return;
    writeNote(
      terminal,
      `No Worker has asked for work on task queue ${taskQueue} lately: the run waits for one.`,
    );
  } catch (error) {
    await runs.close();
    throw error;
  }
}

function afterOption(last: string | undefined): string {
  return last === undefined ? '' : ` --after ${last}`;
}

function sayHowToGoOn(terminal: Terminal, id: string, option: string): void {
  writeNote(terminal, `Run ${id} goes on. To watch on: everloop watch ${id}${option}`);
}
