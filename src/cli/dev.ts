/** `everloop dev`: engine and Worker in one process, for as long as one works. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import type { EngineState } from '../engine/engine-state.ts';
import { checkPort } from '../engine/ports.ts';
import { EverloopError } from '../everloop-error.ts';
import type { Engine } from './engine.ts';
import { counted } from './format.ts';
import { orInterrupted, untilInterrupted } from './interrupted.ts';
import type { Cli } from './program.ts';
import { withProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { writeJson, writeLine, writeNote } from './terminal.ts';

/** Temporal's own choice for its UI; where it is taken there is no UI. */
const uiPort = 8233;
/** A person waits for Ctrl-C; what takes longer is asked again at the next start. */
export const devGraceMs = 5_000;
/** A command that only looks at runs is gone within seconds; who waits longer wants to know for what. */
const patienceMs = 30_000;
const lookMs = 250;

/** Adds the command to the program. */
export function addDev(root: Command, cli: Cli): void {
  root
    .command('dev')
    .summary('start the engine and a Worker for this folder')
    .description(
      'Starts the engine and a Worker in this process. Ctrl-C stops both in order; the next start goes on where all stood.',
    )
    .option('--json', 'one object when it is ready')
    .action((options: { json?: boolean }) => dev(cli, options.json === true));
}

async function dev(cli: Cli, json: boolean): Promise<void> {
  const { terminal } = cli;
  const config = await cli.config();
  const { checkKeys } = await import('./worker-problems.ts');
  checkKeys(terminal, config);
  const engine = await engineOfDev(terminal, config);
  try {
    const own = engine.owner === 'self' ? engine.own : undefined;
    const { startLocalWorker } = await import('./local-worker.ts');
    const worker = await withProgress(terminal, 'starting the Worker', () =>
      startLocalWorker(terminal, config, {
        address: engine.address,
        profile: engine.owner === 'remote' ? 'cluster' : 'embedded',
        graceMs: devGraceMs,
        warnings: true,
      }),
    );
    try {
      await own?.announceWorker();
      const { address } = engine.address;
      const uiAddress = own?.state.uiAddress;
      const agents = [...config.agents.keys()];
      if (json) writeJson(terminal, { address, uiAddress, taskQueue: config.taskQueue, agents });
      else {
        writeLine(terminal, `engine   ${address}`);
        if (uiAddress !== undefined) writeLine(terminal, `UI       ${uiAddress}`);
        writeLine(terminal, `Worker   ${counted(agents.length, 'agent')}: ${agents.join(', ')}`);
        writeNote(terminal, 'Start a run with: everloop run <agent> <input>. Ctrl-C stops.');
      }
      const ends = [untilInterrupted(terminal.interrupted), worker.failed];
      await Promise.race(own === undefined ? ends : [...ends, own.failed]);
      writeNote(terminal, 'Stopping; runs go on at the next start. Ctrl-C again stops at once.');
    } finally {
      await worker.stop();
    }
  } finally {
    if (engine.owner === 'self') await engine.own.stop();
  }
}

type DevEngine = Exclude<Engine, { owner: 'other' }>;

/**
 * The engine for a `dev`. One that another command holds for a moment is waited for.
 * @throws EverloopError `engine_failed` when another process keeps it
 */
async function engineOfDev(terminal: Terminal, config: Config): Promise<DevEngine> {
  const { anyEngine } = await import('./engine.ts');
  const { devServerHost } = await import('../engine/dev-server-settings.ts');
  const patience = Date.now() + patienceMs;
  for (let isTold = false; ; isTold = true) {
    const ui = await checkPort(devServerHost, uiPort).then(
      () => uiPort,
      () => false as const,
    );
    const engine = await anyEngine(terminal, config, 'dev', ui);
    if (engine.owner !== 'other') return engine;
    const { holder } = engine.state;
    const mayEnd = holder !== undefined && holder.command !== 'dev';
    if (!mayEnd || Date.now() > patience) throw alreadyRunning(engine.state);
    if (!isTold) {
      const { command, pid } = holder;
      writeNote(
        terminal,
        `Waiting for everloop ${command} (process ${pid}), which runs the engine.`,
      );
    }
    await orInterrupted(delay(lookMs), terminal.interrupted);
  }
}

function alreadyRunning({ address, pid, holder }: EngineState): EverloopError {
  const who =
    holder === undefined ? `process ${pid}` : `everloop ${holder.command}, process ${holder.pid}`;
  return new EverloopError(
    'engine_failed',
    `the engine of this project is running already, at ${address} (${who})`,
    { hint: 'use it as it is, or stop that process first' },
  );
}
