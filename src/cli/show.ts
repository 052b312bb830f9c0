/** `everloop show`: says where a run stands, why, and what was said. */
import type { Command } from 'commander';
import { noSuchRun } from '../client/client-errors.ts';
import { explain } from '../client/explain.ts';
import { readHistory } from '../client/read-history.ts';
import type { RunSnapshot } from '../client/run-snapshot.ts';
import { EverloopError } from '../everloop-error.ts';
import type { RecordedEvent } from '../history/recorded-event.ts';
import { stateAt } from '../history/state-at.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { statusOf, titleOf } from '../loop/to-run-memo.ts';
import type { Runs } from './engine.ts';
import { anyEngine, hasRuns, withRuns } from './engine.ts';
import { counted, formatCount, formatSpan, oneLine } from './format.ts';
import { formatCall, formatMessage } from './format-transcript.ts';
import { toCount } from './options.ts';
import type { Cli } from './program.ts';
import type { Terminal } from './terminal.ts';
import { printable, styled, writeJson, writeLine } from './terminal.ts';

interface ShowOptions {
  readonly full?: boolean;
  readonly at?: number;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addShow(root: Command, cli: Cli): void {
  root
    .command('show')
    .summary('show a run: why it waits or how it ended, and its transcript')
    .description('Shows a run, from the server alone: no Worker needs to be there.')
    .argument('<run>', 'id of the run')
    .option('--full', 'the whole transcript')
    .option('--at <iteration>', 'the run as it was after this iteration', toCount)
    .option('--json', 'one object')
    .action((id: string, options: ShowOptions) => show(cli, id, options));
}

async function show(cli: Cli, id: string, options: ShowOptions): Promise<void> {
  const { terminal } = cli;
  const config = await cli.config();
  if (!(await hasRuns(config))) throw noSuchRun(id);
  const engine = await anyEngine(terminal, config);
  const { run, state } = await withRuns(config, engine, async (runs) => {
    const run = await runs.everloop.run(id).snapshot();
    const state = options.at === undefined ? run.state : await stateAfter(runs, run, options.at);
    return { run, state };
  });
  if (options.json === true) {
    const { state: _, ...rest } = run;
    writeJson(terminal, { ...rest, status: statusShown(run), why: explain(run), state });
  } else {
    writeRun(terminal, run, options.at);
    if (state !== undefined) writeState(terminal, state, options.full === true);
  }
}

async function stateAfter({ client }: Runs, run: RunSnapshot, at: number): Promise<LoopState> {
  const events: RecordedEvent[] = [];
  for await (const event of readHistory(client, { runId: run.id })) events.push(event);
  const state = stateAt({ runId: run.id, events }, at);
  if (state !== undefined) return state;
  const iterations = counted(run.state?.iteration ?? 0, 'iteration');
  throw new EverloopError('not_found', `run ${run.id} has not finished an iteration ${at}`, {
    hint: `it is at ${iterations}: see everloop show ${run.id}`,
  });
}

/** What closed a run behind its back goes before what the run says of itself. */
function statusShown(run: RunSnapshot): string {
  if (run.status === 'open') return 'running';
  return run.state?.stop === undefined ? run.status : statusOf(run.state);
}

function writeRun(terminal: Terminal, run: RunSnapshot, at: number | undefined): void {
  const { stdout } = terminal;
  const { state } = run;
  const agent = state?.start.agent ?? 'unknown';
  const status = styled(stdout, 'bold', statusShown(run));
  writeLine(terminal, `run ${run.id}  ${status}  agent ${agent}  task queue ${run.taskQueue}`);
  if (state !== undefined) {
    const title = oneLine(printable(titleOf(state.start)));
    if (title !== '') writeLine(terminal, title);
    const now = Date.now();
    const ended =
      state.endedAt === undefined ? '' : `, took ${formatSpan(state.endedAt - state.startedAt)}`;
    writeLine(terminal, `started ${formatSpan(now - state.startedAt)} ago${ended}`);
  }
  if (at !== undefined) {
    writeLine(terminal, `\nas it was after iteration ${at}:`);
    return;
  }
  writeLine(terminal, '');
  for (const line of explain(run)) writeLine(terminal, printable(line));
}

function writeState(terminal: Terminal, state: LoopState, full: boolean): void {
  const { iteration, maxIterations, usage, modelCalls, toolCalls, pendingToolCalls } = state;
  const { inputTokens, outputTokens, unreported } = usage;
  const unknown = unreported === 0 ? '' : `, ${counted(unreported, 'call')} without figures`;
  writeLine(
    terminal,
    `iteration ${iteration} of at most ${maxIterations}, ${counted(modelCalls, 'model call')}, ${counted(toolCalls, 'tool call')}, tokens: ${formatCount(inputTokens)} in, ${formatCount(outputTokens)} out${unknown}`,
  );
  const open = pendingToolCalls.filter(({ status }) => status !== 'settled');
  for (const { call, status } of open) {
    writeLine(terminal, `${status}: ${formatCall(call.name, call.arguments, 100)}`);
  }
  const { inbox } = state;
  if (inbox.length > 0)
    writeLine(terminal, `waiting to be read: ${counted(inbox.length, 'message')}`);
  writeLine(terminal, '');
  for (const message of state.transcript.tail) {
    const [first = '', ...rest] = formatMessage(message, full);
    writeLine(terminal, message.role === 'tool' ? first : styled(terminal.stdout, 'bold', first));
    for (const line of rest) writeLine(terminal, line);
  }
}
