/** `everloop send`: gives a run a user message. */
import type { Command } from 'commander';
import { EverloopError } from '../everloop-error.ts';
import { addValue } from './options.ts';
import type { Cli } from './program.ts';
import { readUserInput } from './read-user-input.ts';
import { writeJson, writeLine } from './terminal.ts';

interface SendOptions {
  readonly file?: string;
  readonly image?: readonly string[];
  readonly id?: string;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addSend(root: Command, cli: Cli): void {
  root
    .command('send')
    .summary('send a message to a run')
    .description('Gives a run a user message; it is read before the next model call.')
    .argument('<run>', 'id of the run')
    .argument('[message]', 'the message; else --file or standard input')
    .option('--file <file>', 'read the message from a file')
    .option('--image <file>', 'an image or PDF that belongs to it; may be repeated', addValue)
    .option('--id <id>', 'id of the message: sent again, it is taken once')
    .option('--json', 'one object instead of text')
    .action((run: string, message: string | undefined, options: SendOptions) =>
      send(cli, run, message, options),
    );
}

async function send(
  cli: Cli,
  id: string,
  argument: string | undefined,
  options: SendOptions,
): Promise<void> {
  const { terminal } = cli;
  const config = await cli.config();
  const { runningEngine, withRuns } = await import('./engine.ts');
  const { file, image: images } = options;
  const message = await readUserInput(terminal, { argument, file, images });
  const engine = await runningEngine(config);
  const { position } = await withRuns(config, engine, async ({ everloop }) => {
    const run = everloop.run(id);
    const { status, workers } = await run.snapshot();
    if (status !== 'running') {
      throw new EverloopError('run_ending', `run ${id} has ended and reads no more messages`, {
        hint: `see how it ended: everloop show ${id}`,
      });
    }
    // An Update is answered by a Worker only: without one it would wait until its deadline.
    if (workers === 0) {
      throw new EverloopError('engine_unreachable', `no Worker takes messages for run ${id} now`, {
        hint: 'start one with: everloop dev (or everloop worker), then send it again',
      });
    }
    return await run.send(message, options.id);
  });
  if (options.json === true) writeJson(terminal, { id, position });
  else writeLine(terminal, `message ${position} of run ${id}`);
}
