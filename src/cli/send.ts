/** `everloop send`: gives a run a user message. */
import type { Command } from 'commander';
import { Option } from 'commander';
import { tellRun } from './open-run.ts';
import { addValue } from './options.ts';
import type { Cli } from './program.ts';
import { readUserInput } from './read-user-input.ts';
import { writeJson, writeLine } from './terminal.ts';

interface SendOptions {
  readonly file?: string;
  readonly image?: readonly string[];
  readonly id?: string;
  readonly steer?: boolean;
  readonly interrupt?: boolean;
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
    .addOption(
      new Option(
        '--steer',
        'cut off what the model is saying, and go on with the message',
      ).conflicts('interrupt'),
    )
    .option('--interrupt', 'the same, and call off running tools and calls that wait')
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
  const { file, image: images, id: messageId, steer, interrupt } = options;
  const message = await readUserInput(terminal, { argument, file, images });
  const mode = interrupt === true ? 'interrupt' : steer === true ? 'steer' : undefined;
  const { position } = await tellRun(config, id, 'send', ({ run }) =>
    run.send(message, {
      ...(messageId !== undefined && { id: messageId }),
      ...(mode !== undefined && { mode }),
    }),
  );
  if (options.json === true) writeJson(terminal, { id, position });
  else writeLine(terminal, `message ${position} of run ${id}`);
}
