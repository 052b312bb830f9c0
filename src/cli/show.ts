/** `everloop show`: says where a run stands, why, and what was said. */
import type { Command } from 'commander';
import { explain } from '../client/explain.ts';
import type { RunSnapshot } from '../client/run-snapshot.ts';
import { EverloopError } from '../everloop-error.ts';
import type { RecordedEvent } from '../history/recorded-event.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { callStanding } from './call-standing.ts';
import type { Runs } from './engine.ts';
import { counted, formatCount, formatSpan, oneLine } from './format.ts';
import { formatCall, formatMessage } from './format-transcript.ts';
import { toIteration } from './options.ts';
import type { Cli } from './program.ts';
import type { Terminal } from './terminal.ts';
import { printable, styled, writeJson, writeLine, writeNote } from './terminal.ts';

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
    .option(
      '--at <iteration>',
      'the run as it was after this iteration; 0: as it began',
      toIteration,
    )
    .option('--json', 'one object')
    .action((id: string, options: ShowOptions) => show(cli, id, options));
}

async function show(cli: Cli, id: string, options: ShowOptions): Promise<void> {
  const { terminal } = cli;
  const { full = false, at, json = false } = options;
  const config = await cli.config();
  const { anyEngine, hasRuns, withRuns } = await import('./engine.ts');
  const { noSuchRun } = await import('../client/client-errors.ts');
  if (!(await hasRuns(config))) throw noSuchRun(id);
  const engine = await anyEngine(terminal, config, 'show');
  await withRuns(config, engine, async (runs) => {
    const run = await runs.everloop.run(id).snapshot();
    if (at !== undefined)
      showPast(terminal, run, await stateAfter(runs, run, at), { at, full, json });
    else showPresent(terminal, run, { full, json });
  });
}

function showPresent(
  terminal: Terminal,
  run: RunSnapshot,
  { full, json }: { readonly full: boolean; readonly json: boolean },
): void {
  const { state, ...rest } = run;
  const { status } = run;
  if (json) {
    writeJson(terminal, { ...rest, status, why: explain(run), state });
    return;
  }
  writeHeading(terminal, run, styled(terminal.stdout, 'bold', status));
  if (state !== undefined) {
    const { startedAt, endedAt } = state;
    const ended = endedAt === undefined ? '' : `, took ${formatSpan(endedAt - startedAt)}`;
    writeLine(terminal, `started ${formatSpan(Date.now() - startedAt)} ago${ended}`);
  }
  writeLine(terminal, '');
  for (const line of explain(run)) writeLine(terminal, printable(line));
  if (state === undefined) return;
  writeFigures(terminal, state);
  for (const pending of state.pendingToolCalls) {
    if (pending.status === 'settled') continue;
    const { name, arguments: input } = pending.call;
    writeLine(terminal, `${callStanding(run, state, pending)}: ${formatCall(name, input, 100)}`);
  }
  const { inbox } = state;
  if (inbox.length > 0)
    writeLine(terminal, `waiting to be read: ${counted(inbox.length, 'message')}`);
  writeTranscript(terminal, state, full);
}

/** What is told of now would be mistaken for what was then, so it is left out. */
function showPast(
  terminal: Terminal,
  run: RunSnapshot,
  state: LoopState,
  { at, full, json }: { readonly at: number; readonly full: boolean; readonly json: boolean },
): void {
  const { id, temporalRunId, taskQueue } = run;
  if (json) {
    writeJson(terminal, { id, temporalRunId, taskQueue, at, state });
    return;
  }
  writeHeading(terminal, run);
  writeLine(terminal, at === 0 ? '\nas it began:' : `\nas it was after iteration ${at}:`);
  writeFigures(terminal, state);
  writeTranscript(terminal, state, full);
}

async function stateAfter({ client }: Runs, run: RunSnapshot, at: number): Promise<LoopState> {
  const { readHistory } = await import('../client/read-history.ts');
  const { stateAt } = await import('../history/state-at.ts');
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
function writeHeading(terminal: Terminal, run: RunSnapshot, status?: string): void {
  const { id, taskQueue, state } = run;
  const agent = state?.start.agent ?? 'unknown';
  const facts = [`run ${id}`, status, `agent ${agent}`, `task queue ${taskQueue}`];
  writeLine(terminal, facts.filter((fact) => fact !== undefined).join('  '));
  const title = state === undefined ? '' : oneLine(printable(state.title));
  if (title !== '') writeLine(terminal, title);
}

function writeFigures(terminal: Terminal, state: LoopState): void {
  const { iteration, maxIterations, usage, modelCalls, toolCalls } = state;
  const { inputTokens, outputTokens, unreported } = usage;
  const unknown = unreported === 0 ? '' : `, ${counted(unreported, 'call')} without figures`;
  writeLine(
    terminal,
    `iteration ${iteration} of at most ${maxIterations}, ${counted(modelCalls, 'model call')}, ${counted(toolCalls, 'tool call')}, tokens: ${formatCount(inputTokens)} in, ${formatCount(outputTokens)} out${unknown}`,
  );
}

function writeTranscript(terminal: Terminal, { transcript }: LoopState, full: boolean): void {
  writeLine(terminal, '');
  let hidden = 0;
  for (const message of transcript.tail) {
    const formatted = formatMessage(message, full);
    hidden += formatted.hidden;
    const [first = '', ...rest] = formatted.lines;
    writeLine(terminal, message.role === 'tool' ? first : styled(terminal.stdout, 'bold', first));
    for (const line of rest) writeLine(terminal, line);
  }
  if (hidden > 0) writeNote(terminal, `${counted(hidden, 'more character')} with --full.`);
}
