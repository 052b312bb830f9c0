/** What a run was taken back from, as `everloop show --discarded` shows it. */
import type { DiscardedPart } from '../client/discarded-parts.ts';
import { counted, formatSpan } from './format.ts';
import { formatMessage } from './format-transcript.ts';
import type { Terminal } from './terminal.ts';
import { styled, writeJson, writeLine, writeNote } from './terminal.ts';

/** Shows the parts, oldest first: what each held, and with `full` whole. */
export function showDiscarded(
  terminal: Terminal,
  id: string,
  parts: readonly DiscardedPart[],
  { json, full }: { readonly json: boolean; readonly full: boolean },
): void {
  if (json) {
    writeJson(terminal, { id, discarded: parts });
    return;
  }
  if (parts.length === 0) writeNote(terminal, `Run ${id} was never taken back.`);
  for (const part of parts) showPart(terminal, part, full);
}

function showPart(terminal: Terminal, part: DiscardedPart, full: boolean): void {
  const { generation, temporalRunId, at, how, ended = 'going on', messages, calls } = part;
  const { toIteration, lastIteration, firstMessage } = part;
  writeLine(
    terminal,
    styled(terminal.stdout, 'bold', `part ${generation}  ${temporalRunId}  was ${ended}`),
  );
  writeLine(
    terminal,
    `${how} ${formatSpan(Date.now() - at)} ago from iteration ${lastIteration} to the end of iteration ${toIteration}: ${counted(messages.length, 'message')} from number ${firstMessage} on, ${counted(calls.length, 'tool call')}`,
  );
  let hidden = 0;
  for (const message of messages) {
    const formatted = formatMessage(message, full);
    hidden += formatted.hidden;
    for (const line of formatted.lines) writeLine(terminal, `  ${line}`);
  }
  if (hidden > 0) writeNote(terminal, `${counted(hidden, 'more character')} with --full.`);
}
