/** `everloop answer`: answers a call that waits for somebody's answer. */
import type { Command } from 'commander';
import { EverloopError } from '../everloop-error.ts';
import { tellRun } from './open-run.ts';
import type { Cli } from './program.ts';
import { readInput } from './read-input.ts';
import { writeJson, writeLine } from './terminal.ts';
import { waitingCallLine, waitingCalls } from './waiting-calls.ts';
import { whoDecides } from './who-decides.ts';

interface AnswerOptions {
  readonly file?: string;
  readonly error?: boolean;
  readonly by?: string;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addAnswer(root: Command, cli: Cli): void {
  root
    .command('answer')
    .summary('answer a question of a run')
    .description('Answers a call that waits for an answer. The first answer counts.')
    .argument('<run>', 'id of the run')
    .argument('<call>', 'id of the call')
    .argument('[text]', 'the answer; else --file or standard input')
    .option('--file <file>', 'read the answer from a file')
    .option('--error', 'the call has failed, and the text says how')
    .option('--by <name>', 'who answers (default: your login name)')
    .option('--json', 'one object instead of text')
    .action((id: string, call: string, text: string | undefined, options: AnswerOptions) =>
      answer(cli, id, call, text, options),
    );
}

async function answer(
  cli: Cli,
  id: string,
  callId: string,
  argument: string | undefined,
  { file, error = false, by, json = false }: AnswerOptions,
): Promise<void> {
  const { terminal } = cli;
  const config = await cli.config();
  const text = await readInput(terminal, { argument, file });
  // An argument without a word in it is meant: it says that there is no answer.
  if (text === '' && argument === undefined) {
    throw new EverloopError('invalid_input', 'there is no answer', {
      hint: 'give it as an argument, with --file or through a pipe',
    });
  }
  const who = whoDecides(terminal, by);
  const line = await tellRun(config, id, 'answer', async ({ run, snapshot }) => {
    const asked = waitingCalls(snapshot, 'answer').find(({ call }) => call.id === callId);
    await run.answer(callId, text, { ...who, ...(error && { isError: true }) });
    return asked === undefined ? callId : waitingCallLine(asked);
  });
  if (json) writeJson(terminal, { id, callId, isError: error, ...who });
  else writeLine(terminal, `answered: ${line}`);
}
