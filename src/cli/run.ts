/** `everloop run`: starts a run and follows it to its end. */
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { liveEngineState } from '../engine/engine-state.ts';
import type { RunResult } from '../loop/run-result.ts';
import type { EventBus } from '../storage/event-bus.ts';
import { createLocalEventBus } from '../storage/event-bus.ts';
import { devGraceMs } from './dev.ts';
import type { Engine } from './engine.ts';
import { anyEngine, connectRuns, hasWorker, leaveEngine, runningEngine } from './engine.ts';
import { exitCode } from './exit-codes.ts';
import { followRun } from './follow-run.ts';
import { Interrupted } from './interrupted.ts';
import type { LocalWorker } from './local-worker.ts';
import type { RunOptions } from './options.ts';
import { addPair, checkAgent, toCount, toStartOptions } from './options.ts';
import type { Cli } from './program.ts';
import { withProgress } from './progress.ts';
import { readInput } from './read-input.ts';
import type { RunView } from './run-view.ts';
import { createJsonView, createTextView } from './run-view.ts';
import type { Terminal } from './terminal.ts';
import { writeNote } from './terminal.ts';
import { checkKeyOf } from './worker-problems.ts';

interface RunCommandOptions extends RunOptions {
  readonly file?: string;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addRun(root: Command, cli: Cli): void {
  root
    .command('run')
    .summary('start a run and follow it to its end')
    .description(
      'Starts a run and follows it. Without a running engine, engine and Worker are in this process. Ctrl-C detaches: the run is not cancelled.',
    )
    .argument('<agent>', 'name of the agent')
    .argument('[input]', 'what the user says; else --file or standard input')
    .option('--id <id>', 'id of the run (default: a random one)')
    .option('--file <file>', 'read the input from a file')
    .option('--max-iterations <n>', 'model calls at most', toCount)
    .option('--title <text>', 'title in lists')
    .option('--meta <key=value>', 'metadata of the run; may be repeated', addPair)
    .option('--json', 'one event per line, the result last')
    .action((agent: string, input: string | undefined, options: RunCommandOptions) =>
      run(cli, agent, input, options),
    );
}

async function run(
  cli: Cli,
  agent: string,
  argument: string | undefined,
  options: RunCommandOptions,
): Promise<void> {
  const { terminal } = cli;
  const config = await cli.config();
  if (config.engine === undefined || config.file !== undefined) checkAgent(config, agent);
  const input = await readInput(terminal, { argument, file: options.file });
  if (config.engine === undefined && (await liveEngineState(config.project)) === undefined) {
    checkKeyOf(config, agent);
  }
  const engine = await anyEngine(terminal, config);
  try {
    const id = await startRun(config, engine, agent, { input, ...toStartOptions(options) });
    const view = options.json === true ? createJsonView(terminal, id) : createTextView(terminal);
    writeNote(terminal, `run ${id}`);
    const result = await attend(terminal, config, engine, id, view);
    view.end(result);
    cli.exitWith(result.stopReason === 'completed' ? exitCode.ok : exitCode.failed);
  } finally {
    await leaveEngine(engine);
  }
}

async function startRun(
  config: Config,
  { address }: Engine,
  agent: string,
  options: { readonly input: string } & ReturnType<typeof toStartOptions>,
): Promise<string> {
  const runs = await connectRuns(config, address);
  try {
    return (await runs.everloop.start(agent, options)).id;
  } finally {
    await runs.close();
  }
}

/** Follows the run, with a Worker in this process where no other one is known. */
async function attend(
  terminal: Terminal,
  config: Config,
  engine: Engine,
  runId: string,
  view: RunView,
): Promise<RunResult> {
  const isOurs =
    engine.owner === 'self' || (engine.owner === 'other' && !(await hasWorker(engine.state)));
  const bus = createLocalEventBus();
  const unsubscribe = bus.subscribe(runId, (event) => view.live(event));
  let worker: LocalWorker | undefined;
  try {
    if (isOurs) worker = await startWorker(terminal, config, engine, bus);
    else await sayWhatIsShown(terminal, config, engine, runId);
    const following = followRun(terminal, {
      runId,
      connect: async () => {
        const { address } = engine.owner === 'other' ? await runningEngine(config) : engine;
        return { runs: await connectRuns(config, address), address: address.address };
      },
      onEvent: (event) => view.event(event),
    });
    const ends = [
      following,
      worker?.failed,
      engine.owner === 'self' ? engine.own.failed : undefined,
    ];
    return await Promise.race(ends.filter((end) => end !== undefined));
  } catch (error) {
    if (error instanceof Interrupted) {
      view.end();
      sayHowToGoOn(terminal, runId, isOurs);
    }
    throw error;
  } finally {
    unsubscribe();
    await worker?.stop();
  }
}

async function startWorker(
  terminal: Terminal,
  config: Config,
  engine: Engine,
  bus: EventBus,
): Promise<LocalWorker> {
  const { startLocalWorker } = await import('./local-worker.ts');
  const worker = await withProgress(terminal, 'starting the Worker', () =>
    startLocalWorker(terminal, config, {
      address: engine.address,
      profile: 'embedded',
      bus,
      graceMs: devGraceMs,
    }),
  );
  if (engine.owner === 'self') await engine.own.announceWorker();
  return worker;
}

async function sayWhatIsShown(
  terminal: Terminal,
  config: Config,
  engine: Engine,
  runId: string,
): Promise<void> {
  writeNote(terminal, 'The Worker is another process: each message is shown when it is complete.');
  const runs = await connectRuns(config, engine.address);
  const { workers, taskQueue } = await runs.everloop.run(runId).snapshot();
  await runs.close();
  if (workers > 0) return;
  writeNote(
    terminal,
    `No Worker has asked for work on task queue ${taskQueue} lately: the run waits for one.`,
  );
}

function sayHowToGoOn(terminal: Terminal, runId: string, isOurs: boolean): void {
  writeNote(
    terminal,
    isOurs
      ? `Stopping: run ${runId} goes on at the next everloop dev or everloop run in this folder.`
      : `Detached: run ${runId} goes on.`,
  );
  writeNote(terminal, `  look at it: everloop show ${runId}`);
  writeNote(terminal, `  cancel it:  everloop cancel ${runId}`);
}
