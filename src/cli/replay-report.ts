/** Shows what a replay found: LoopState after each iteration, and whether code and history agree. */
import type { LoopState } from '../loop/loop-state.ts';
import type { RecordedRun } from '../replay/recorded-run.ts';
import type { ReplayVerdict } from '../replay/replay.ts';
import { counted, formatCount, shorten } from './format.ts';
import { toTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { printable, styled, writeJson, writeLine } from './terminal.ts';

/** Longest text of a value that differs; a few lines of a terminal. */
const valueLength = 300;

/** One line per state, as the replay met them, then the verdict. `full`: with the transcripts. */
export function writeReplayJson(
  terminal: Terminal,
  { runId }: RecordedRun,
  verdict: ReplayVerdict,
  full: boolean,
): void {
  const { states, ...found } = verdict;
  for (const state of states) {
    const { tail, ...transcript } = state.transcript;
    const shown = full ? state : { ...state, transcript };
    writeJson(terminal, { type: 'state', iteration: state.iteration, state: shown });
  }
  writeJson(terminal, { type: 'verdict', runId, ...found });
}

/** A table of the last state of each iteration, then the verdict in words. */
export function writeReplayText(
  terminal: Terminal,
  { runId, parts }: RecordedRun,
  verdict: ReplayVerdict,
): void {
  const { stdout } = terminal;
  const { states } = verdict;
  // A stop and an end are states of their own, of the same iteration as the one before.
  const shown = states.filter(({ iteration }, index) => states[index + 1]?.iteration !== iteration);
  const rows = shown.map(row);
  if (stdout.isTTY === true && rows.length > 0) writeLine(terminal, toTable(headings, rows));
  else for (const cells of rows) writeLine(terminal, cells.join('\t'));
  if (verdict.ok) {
    const histories = parts.length === 1 ? '' : ` over ${formatCount(parts.length)} histories`;
    const what = `run ${runId} replays: ${counted(verdict.iterations, 'iteration')}${histories}`;
    writeLine(terminal, styled(stdout, 'green', printable(what)));
    return;
  }
  const { iteration, problem, difference } = verdict;
  const what = `run ${runId} does not replay: iteration ${iteration}: ${problem}`;
  writeLine(terminal, styled(stdout, 'red', printable(what)));
  if (difference === undefined) return;
  writeLine(terminal, `  at:       ${printable(difference.path)}`);
  writeLine(terminal, `  expected: ${valueText(difference.expected)}`);
  writeLine(terminal, `  found:    ${valueText(difference.found)}`);
}

const headings = [
  'ITERATION',
  'PHASE',
  'MESSAGES',
  'TOKENS',
  'MODEL CALLS',
  'TOOL CALLS',
  'DIGEST',
];

function row(state: LoopState): string[] {
  const { iteration, phase, stop, transcript, usage, modelCalls, toolCalls } = state;
  return [
    String(iteration),
    stop === undefined ? phase.kind : `${phase.kind}: ${stop.reason}`,
    formatCount(transcript.count),
    formatCount(usage.inputTokens + usage.outputTokens),
    formatCount(modelCalls),
    formatCount(toolCalls),
    transcript.digest,
  ];
}

/** A value that differs, on one line. */
export function valueText(value: unknown): string {
  return printable(shorten(JSON.stringify(value) ?? 'nothing', valueLength));
}
