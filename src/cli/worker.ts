/** `everloop worker`: a Worker alone, for an engine that runs elsewhere. */
import type { Command } from 'commander';
import { counted } from './format.ts';
import { untilInterrupted } from './interrupted.ts';
import type { Cli } from './program.ts';
import { writeJson, writeLine, writeNote } from './terminal.ts';

/** Adds the command to the program. */
export function addWorker(root: Command, cli: Cli): void {
  root
    .command('worker')
    .summary('start a Worker only')
    .description(
      'Starts a Worker for the server in TEMPORAL_ADDRESS, or for the engine of `everloop dev`. SIGTERM and Ctrl-C let calls in flight end first.',
    )
    .option('--json', 'one object when it is ready')
    .action((options: { json?: boolean }) => work(cli, options.json === true));
}

async function work(cli: Cli, json: boolean): Promise<void> {
  const { terminal } = cli;
  const config = await cli.config();
  const { runningEngine } = await import('./engine.ts');
  const { checkKeys } = await import('./worker-problems.ts');
  checkKeys(terminal, config);
  const engine = await runningEngine(config);
  const { startLocalWorker } = await import('./local-worker.ts');
  const worker = await startLocalWorker(terminal, config, {
    address: engine.address,
    profile: engine.owner === 'remote' ? 'cluster' : 'embedded',
    warnings: true,
  });
  try {
    const { address } = engine.address;
    const agents = [...config.agents.keys()];
    if (json) writeJson(terminal, { address, taskQueue: config.taskQueue, agents });
    else
      writeLine(
        terminal,
        `Worker for ${address}: ${counted(agents.length, 'agent')} on task queue ${config.taskQueue}`,
      );
    await Promise.race([untilInterrupted(terminal.interrupted), worker.failed]);
    writeNote(terminal, 'Draining: what is in flight may end first. Ctrl-C again stops at once.');
  } finally {
    await worker.stop();
  }
}
