/** `everloop show`: says where a run stands, why, and what was said. */
import type { Command } from 'commander';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { explain } from '../client/explain.ts';
import type { RunSnapshot } from '../client/run-snapshot.ts';
import { EverloopError } from '../everloop-error.ts';
import { usdText, useText } from '../loop/budget-text.ts';
import { spendingOf } from '../loop/budget-use.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { markInherited } from '../loop/mark-inherited.ts';
import type { ChildTree } from './child-tree.ts';
import { childLines, childTree } from './child-tree.ts';
import type { Runs } from './engine.ts';
import { counted, formatCount, formatSpan, oneLine, shorten } from './format.ts';
import { formatMessage } from './format-transcript.ts';
import { toIteration } from './options.ts';
import type { PastState } from './past-state.ts';
import { pendingLines } from './pending-lines.ts';
import type { Cli } from './program.ts';
import type { Terminal } from './terminal.ts';
import { printable, styled, writeJson, writeLine, writeNote } from './terminal.ts';

interface ShowOptions {
  readonly full?: boolean;
  readonly numbers?: boolean;
  readonly discarded?: boolean;
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
    .option('--numbers', 'the number of each message, by which it can be forked or gone back to')
    .option('--discarded', 'what the run was taken back from')
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
  const { full = false, numbers = false, discarded = false, at, json = false } = options;
  const config = await cli.config();
  const { anyEngine, hasRuns, withRuns } = await import('./engine.ts');
  const { noSuchRun } = await import('../client/client-errors.ts');
  const { messagesOf } = await import('./messages-of.ts');
  if (!(await hasRuns(config))) throw noSuchRun(id);
  const engine = await anyEngine(terminal, config, 'show');
  await withRuns(config, engine, async (runs) => {
    if (discarded) {
      const { showDiscarded } = await import('./show-discarded.ts');
      showDiscarded(terminal, id, await runs.everloop.run(id).discarded(), { json, full });
      return;
    }
    const run = await runs.everloop.run(id).snapshot();
    const past = at === undefined ? undefined : await stateAfter(runs, run, at);
    const state = past?.state ?? run.state;
    const messages = full && state ? await messagesOf(config, runs, state) : undefined;
    const shown = { json, full, numbers, messages };
    if (past === undefined) showPresent(terminal, run, await childrenOf(runs, run), shown);
    else showPast(terminal, run, past, shown);
  });
}

async function childrenOf(runs: Runs, { id, state }: RunSnapshot): Promise<readonly ChildTree[]> {
  return (state?.children ?? []).length === 0 ? [] : await childTree(runs, id);
}

/** How a run is shown; `messages`: all of them, where all are asked for. */
interface Shown {
  readonly json: boolean;
  readonly full: boolean;
  readonly numbers: boolean;
  readonly messages: readonly TranscriptMessage[] | undefined;
}

function showPresent(
  terminal: Terminal,
  run: RunSnapshot,
  children: readonly ChildTree[],
  shown: Shown,
): void {
  const { state, ...rest } = run;
  const { status } = run;
  const { json, messages } = shown;
  if (json) {
    writeJson(terminal, { ...rest, status, why: explain(run), state, children, messages });
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
  writeFigures(terminal, state, state.endedAt ?? Date.now());
  for (const line of pendingLines(run, state, Date.now())) writeLine(terminal, line);
  if (children.length > 0) writeLine(terminal, 'sub-agents:');
  for (const line of childLines(children)) writeLine(terminal, line);
  writeTranscript(terminal, state, shown);
}

/** What is told of now would be mistaken for what was then, so it is left out. */
function showPast(
  terminal: Terminal,
  run: RunSnapshot,
  { state, temporalRunId }: PastState,
  shown: Shown,
): void {
  const { id, taskQueue } = run;
  const { iteration: at } = state;
  if (shown.json) {
    const { messages } = shown;
    writeJson(terminal, { id, temporalRunId, taskQueue, at, state, messages });
    return;
  }
  writeHeading(terminal, run);
  writeLine(terminal, at === 0 ? '\nas it began:' : `\nas it was after iteration ${at}:`);
  writeFigures(terminal, state);
  writeTranscript(terminal, state, shown);
}

async function stateAfter(runs: Runs, run: RunSnapshot, at: number): Promise<PastState> {
  const { pastState } = await import('./past-state.ts');
  const past = await pastState(runs, run.id, at);
  if (past !== undefined) return past;
  const iteration = run.state?.iteration ?? 0;
  if (at < iteration) {
    throw new EverloopError(
      'not_found',
      `the history of run ${run.id} at iteration ${at} is not there any more`,
      { hint: 'the server keeps it no longer: look at a later iteration' },
    );
  }
  throw new EverloopError('not_found', `run ${run.id} has not finished an iteration ${at}`, {
    hint: `it is at ${counted(iteration, 'iteration')}: see everloop show ${run.id}`,
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
  const parent = state?.start.parent;
  if (parent !== undefined) {
    writeLine(
      terminal,
      printable(`sub-agent of run ${parent.runId}, for its call ${parent.callId}`),
    );
  }
}

/** `now`: the time that counts for a limit of time; left out where a past state is shown. */
function writeFigures(terminal: Terminal, state: LoopState, now?: number): void {
  const { iteration, maxIterations, usage, modelCalls, toolCalls } = state;
  const { inputTokens, outputTokens, unreported } = usage;
  const unknown = unreported === 0 ? '' : `, ${counted(unreported, 'call')} without figures`;
  writeLine(
    terminal,
    `iteration ${iteration} of at most ${maxIterations}, ${counted(modelCalls, 'model call')}, ${counted(toolCalls, 'tool call')}, tokens: ${formatCount(inputTokens)} in, ${formatCount(outputTokens)} out${unknown}`,
  );
  for (const line of spendingLines(state, now)) writeLine(terminal, line);
  for (const line of particulars(state)) writeLine(terminal, printable(line));
}

function spendingLines(state: LoopState, now: number | undefined): readonly string[] {
  const { costUsd, budget = [] } = spendingOf(state, now);
  const uses = budget.map((use) => {
    const share = Math.floor((100 * use.spent) / use.allowed);
    return `${useText(use)} (${share} %)`;
  });
  return [
    ...(costUsd === undefined ? [] : [`cost: ${usdText(costUsd)}`]),
    ...(uses.length === 0 ? [] : [`budget: ${uses.join(', ')}`]),
  ];
}

/** What most runs have nothing of. */
function particulars(state: LoopState): readonly string[] {
  const { generation, forkedFrom, agent, model, lastError, refused, inbox } = state;
  const models = agent?.models ?? [];
  const waiting = inbox.map(({ message }) => `  ${spokenLine(message)}`);
  return [
    ...(forkedFrom === undefined
      ? []
      : [
          `forked from run ${forkedFrom.runId}: ${counted(forkedFrom.messages, 'message')} inherited`,
        ]),
    ...(generation > 1 ? [`part ${generation} of the run's history`] : []),
    ...(model > 0
      ? [`model in use: ${models[model]}, after ${models.slice(0, model).join(', ')} failed`]
      : []),
    ...(lastError === undefined
      ? []
      : [`last error: ${shorten(oneLine(lastError.message), lineLength)} (${lastError.type})`]),
    ...(refused > 0 ? [`refused: ${counted(refused, 'message')} that a run cannot take`] : []),
    ...(inbox.length > 0
      ? [`waiting to be read: ${counted(inbox.length, 'message')}`, ...waiting.slice(0, inboxLines)]
      : []),
    ...(inbox.length > inboxLines
      ? [`  and ${counted(inbox.length - inboxLines, 'more message')}`]
      : []),
  ];
}

/** Longest line of a text that has many; most terminals have room for it. */
const lineLength = 100;
/** Messages of the inbox that are shown; `--json` has all. */
const inboxLines = 5;

function spokenLine(message: TranscriptMessage): string {
  const [, ...lines] = formatMessage(message, true).lines;
  return shorten(oneLine(lines.join(' ')), lineLength);
}

function writeTranscript(
  terminal: Terminal,
  state: LoopState,
  { full, numbers, messages }: Shown,
): void {
  const { transcript } = state;
  writeLine(terminal, '');
  const earlier = transcript.count - (messages ?? transcript.tail).length;
  const shown = messages ?? markInherited(transcript.tail, state, earlier);
  if (earlier > 0) writeNote(terminal, `${counted(earlier, 'earlier message')} with --full.`);
  let hidden = 0;
  for (const [index, message] of shown.entries()) {
    const formatted = formatMessage(message, full);
    hidden += formatted.hidden;
    const [line = '', ...rest] = formatted.lines;
    const first = numbers ? `${earlier + index} ${line}` : line;
    writeLine(terminal, message.role === 'tool' ? first : styled(terminal.stdout, 'bold', first));
    for (const line of rest) writeLine(terminal, line);
  }
  if (hidden > 0) writeNote(terminal, `${counted(hidden, 'more character')} with --full.`);
}
