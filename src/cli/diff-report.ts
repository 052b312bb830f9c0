/** Shows how two runs compare: what they share, then what each says from there on, then what they came to. */
import { diffWordsWithSpace, structuredPatch } from 'diff';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { RunOutcome, RunsDiff } from '../client/diff-runs.ts';
import type { AlignedMessages } from '../client/diff-transcripts.ts';
import { counted, formatCount } from './format.ts';
import { formatMessage } from './format-transcript.ts';
import { toTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { printable, styled, writeLine, writeNote } from './terminal.ts';

/** Lines around a change that stay the same. */
const contextLines = 2;
/** Words are compared in lines that are not too many for it, code units of both sides. */
const maxWordsLength = 20_000;

/** Writes the comparison. `full`: what one side alone says is not cut. */
export function writeDiff(terminal: Terminal, diff: RunsDiff, full: boolean): void {
  const { stdout } = terminal;
  const { same, common, rest, a, b } = diff;
  if (rest.length === 0) {
    writeLine(terminal, `both say the same: ${counted(common, 'message')}`);
  } else {
    writeLine(terminal, `${commonText(common)}; message ${common + 1} is the first to differ`);
    writeLine(terminal, styled(stdout, 'red', printable(`--- ${a.id}`)));
    writeLine(terminal, styled(stdout, 'green', printable(`+++ ${b.id}`)));
    const hidden = writeRest(terminal, rest, full);
    if (hidden > 0) writeNote(terminal, `${counted(hidden, 'more character')} with --full.`);
  }
  writeLine(terminal, '');
  writeOutcomes(terminal, a, b);
  if (same) writeLine(terminal, styled(stdout, 'green', 'the runs are the same'));
}

function commonText(common: number): string {
  if (common === 0) return 'nothing in common at the beginning';
  return common === 1
    ? 'the first message is the same'
    : `the first ${formatCount(common)} messages are the same`;
}

function writeRest(terminal: Terminal, rest: readonly AlignedMessages[], full: boolean): number {
  let hidden = 0;
  let sames = 0;
  const endSames = () => {
    if (sames > 0) {
      const text = ` = ${counted(sames, 'message')} the same`;
      writeLine(terminal, styled(terminal.stdout, 'dim', text));
    }
    sames = 0;
  };
  for (const entry of rest) {
    if (entry.kind === 'same') {
      sames += 1;
      continue;
    }
    endSames();
    writeLine(terminal, styled(terminal.stdout, 'cyan', placeOf(entry)));
    if (entry.kind === 'changed') writeChange(terminal, entry.a.message, entry.b.message);
    else hidden += writeOneSide(terminal, entry, full);
  }
  endSames();
  return hidden;
}

/** Messages are counted from 1, on the side that has them. */
function placeOf(entry: Exclude<AlignedMessages, { kind: 'same' }>): string {
  const a = entry.kind === 'only-b' ? '' : `-${entry.a.index + 1}`;
  const b = entry.kind === 'only-a' ? '' : `+${entry.b.index + 1}`;
  return `@@ message ${[a, b].filter((place) => place !== '').join(' ')} @@`;
}

type OneSide = Extract<AlignedMessages, { kind: 'only-a' | 'only-b' }>;

/** @returns characters that were left out */
function writeOneSide(terminal: Terminal, entry: OneSide, full: boolean): number {
  const { message } = entry.kind === 'only-a' ? entry.a : entry.b;
  const { lines, hidden } = formatMessage(message, full);
  for (const line of linesOf(lines)) writeSigned(terminal, entry.kind === 'only-a', line);
  return hidden;
}

function writeChange(terminal: Terminal, a: TranscriptMessage, b: TranscriptMessage): void {
  const [left, right] = [textOf(a), textOf(b)];
  if (left === right) {
    // Metadata, a citation, the place of an image: nothing that is shown as text.
    for (const line of left.split('\n').slice(0, 1)) writeLine(terminal, ` ${line}`);
    for (const [isRemoved, message] of [[true, a] as const, [false, b] as const]) {
      writeSigned(terminal, isRemoved, printable(JSON.stringify(untold(message))));
    }
    return;
  }
  const { hunks } = structuredPatch('', '', `${left}\n`, `${right}\n`, '', '', {
    context: contextLines,
  });
  for (const [index, { lines }] of hunks.entries()) {
    if (index > 0) writeLine(terminal, styled(terminal.stdout, 'dim', ' …'));
    writeHunk(terminal, lines);
  }
}

function textOf(message: TranscriptMessage): string {
  return linesOf(formatMessage(message, true).lines).join('\n');
}

/** A formatted part may hold lines of its own. */
function linesOf(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split('\n'));
}

/** What a comparison goes by and the text of a message does not show. */
function untold({ parts, metadata, partial }: TranscriptMessage) {
  return { parts, ...(metadata && { metadata }), ...(partial !== undefined && { partial }) };
}

function writeHunk(terminal: Terminal, lines: readonly string[]): void {
  for (let index = 0; index < lines.length; ) {
    const removed = takeWhile(lines, index, '-');
    const added = takeWhile(lines, index + removed.length, '+');
    if (removed.length > 0 && added.length > 0) writeReplaced(terminal, removed, added);
    else for (const line of removed.length > 0 ? removed : added) writeMarked(terminal, line);
    index += removed.length + added.length;
    const line = lines[index];
    if (line !== undefined && removed.length + added.length === 0) {
      writeLine(terminal, line);
      index += 1;
    }
  }
}

function takeWhile(lines: readonly string[], from: number, sign: string): readonly string[] {
  const end = lines.findIndex((line, index) => index >= from && !line.startsWith(sign));
  return lines.slice(from, end < 0 ? lines.length : end);
}

/** Where lines were put in place of others, a terminal shows the words that differ. */
function writeReplaced(
  terminal: Terminal,
  removed: readonly string[],
  added: readonly string[],
): void {
  const { stdout } = terminal;
  const [before, after] = [removed, added].map((lines) =>
    lines.map((line) => line.slice(1)).join('\n'),
  );
  const length = (before?.length ?? 0) + (after?.length ?? 0);
  if (stdout.isTTY !== true || length > maxWordsLength) {
    for (const line of [...removed, ...added]) writeMarked(terminal, line);
    return;
  }
  const words = diffWordsWithSpace(before ?? '', after ?? '');
  for (const side of ['removed', 'added'] as const) {
    const other = side === 'removed' ? 'added' : 'removed';
    const shown = words
      .filter((word) => !word[other])
      .map((word) => (word[side] ? emphasized(stdout, word.value) : word.value))
      .join('');
    for (const line of shown.split('\n')) writeSigned(terminal, side === 'removed', line);
  }
}

/** A style must end with its line. */
function emphasized(stream: Terminal['stdout'], text: string): string {
  return text
    .split('\n')
    .map((piece) => (piece === '' ? '' : styled(stream, 'inverse', piece)))
    .join('\n');
}

function writeMarked(terminal: Terminal, line: string): void {
  writeSigned(terminal, line.startsWith('-'), line.slice(1));
}

function writeSigned(terminal: Terminal, isRemoved: boolean, line: string): void {
  const text = `${isRemoved ? '-' : '+'}${line}`;
  writeLine(terminal, styled(terminal.stdout, isRemoved ? 'red' : 'green', text));
}

function writeOutcomes(terminal: Terminal, a: RunOutcome, b: RunOutcome): void {
  const rows = figures.map(([name, figure]) => [name, figure(a), figure(b)].map(printable));
  const headings = ['', a.id, b.id].map(printable);
  if (terminal.stdout.isTTY === true) writeLine(terminal, toTable(headings, rows));
  else for (const cells of [headings, ...rows]) writeLine(terminal, cells.join('\t'));
}

const figures: readonly (readonly [string, (run: RunOutcome) => string])[] = [
  ['agent', ({ agent }) => agent],
  ['status', ({ status }) => status],
  ['messages', ({ messages }) => formatCount(messages)],
  ['iterations', ({ iterations }) => formatCount(iterations)],
  ['model calls', ({ modelCalls }) => formatCount(modelCalls)],
  ['tool calls', ({ toolCalls }) => formatCount(toolCalls)],
  ['tokens in', ({ usage }) => formatCount(usage.inputTokens)],
  ['tokens out', ({ usage }) => formatCount(usage.outputTokens)],
];
