/** Shows a run while it happens: as text for people, or as lines of JSON. */
import { toolOutputText } from '../chat/text-of.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { LiveEvent, RunEvent } from '../loop/events.ts';
import type { RunResult } from '../loop/run-result.ts';
import { counted, formatCount, formatSpan, shorten } from './format.ts';
import { formatCall } from './format-transcript.ts';
import type { Terminal } from './terminal.ts';
import { printable, styled, writeJson, writeNote } from './terminal.ts';

/** What is told of a run as it happens. */
export interface RunView {
  /** Told every durable event once, in order. */
  event(event: RunEvent): void;
  /** Told what the Worker in this process streams. */
  live(event: LiveEvent): void;
  /** Told how the run ended, or that nobody looks at it any longer. */
  end(result?: RunResult): void;
}

/** One event per line, the result last. */
export function createJsonView(terminal: Terminal, runId: string): RunView {
  return {
    event: (event) => writeJson(terminal, event),
    live: (event) => writeJson(terminal, event),
    end: (result) => result && writeJson(terminal, { type: 'result', runId, ...result }),
  };
}

/** Longest line of a tool call. */
const callLength = 100;

/** What the model says on stdout, everything else on stderr. */
export function createTextView(terminal: Terminal): RunView {
  const { stdout } = terminal;
  const streamed = new Map<number, { attempt: number; text: string }>();
  const calls = new Map<string, { line: string; startedAt: number }>();
  let userMessages = 0;
  let lineIsOpen = false;

  const say = (text: string) => {
    if (text === '') return;
    stdout.write(text);
    lineIsOpen = !text.endsWith('\n');
  };
  const endLine = () => {
    if (lineIsOpen) say('\n');
  };
  const note = (text: string) => {
    endLine();
    writeNote(terminal, text);
  };

  const assistant = (iteration: number, message: TranscriptMessage) => {
    const text = printable(spokenText(message.parts));
    const before = streamed.get(iteration)?.text ?? '';
    if (text.startsWith(before)) say(text.slice(before.length));
    else {
      endLine();
      say(text);
    }
    endLine();
    for (const part of message.parts) {
      if (part.kind !== 'tool_call') continue;
      const { id, name, arguments: input } = part.toolCall;
      calls.set(id, { line: formatCall(name, input, callLength), startedAt: 0 });
    }
  };

  return {
    live(event) {
      if (event.type !== 'text-delta' && event.type !== 'refusal-delta') return;
      const text = printable(event.data.text);
      const { iteration, attempt } = event;
      const before = streamed.get(iteration);
      if (before === undefined) endLine();
      else if (before.attempt !== attempt) note(`(attempt ${attempt}: the answer starts again)`);
      const earlier = before?.attempt === attempt ? before.text : '';
      streamed.set(iteration, { attempt, text: earlier + text });
      say(text);
    },
    event({ type, at, iteration, data }) {
      switch (type) {
        case 'message': {
          const { message } = data;
          if (message.role === 'assistant') assistant(iteration, message);
          if (message.role === 'tool') return toolErrors(message).forEach(note);
          if (message.role !== 'user') return;
          // The first one is the input, which the person has just given.
          if (userMessages > 0) note(`user: ${printable(spokenText(message.parts))}`);
          userMessages += 1;
          return;
        }
        case 'tool-start': {
          const line = calls.get(data.callId)?.line ?? data.name;
          calls.set(data.callId, { line, startedAt: at });
          return note(`→ ${line}`);
        }
        case 'tool-end': {
          const startedAt = calls.get(data.callId)?.startedAt ?? at;
          const mark = { finished: '✓', error: '✗', 'not-finished': '?' }[data.status];
          return note(`${mark} ${data.name} (${formatSpan(at - startedAt)})`);
        }
      }
    },
    end(result) {
      endLine();
      if (result === undefined) return;
      const { stopReason, ended, iterations, usage } = result;
      const colour = stopReason === 'completed' ? 'green' : 'yellow';
      const tokens = formatCount(usage.inputTokens + usage.outputTokens);
      const figures = `${counted(iterations, 'iteration')}, ${tokens} tokens`;
      const reason = styled(terminal.stderr, colour, stopReason);
      terminal.stderr.write(`${reason}: ${printable(ended)} (${figures})\n`);
    },
  };
}

/** Longest line of what went wrong in a call. */
const errorLength = 200;

/** What the model is told of calls that failed, each by its first line. */
function toolErrors({ parts }: TranscriptMessage): string[] {
  return parts.flatMap((part) => {
    if (part.kind !== 'tool_result' || part.toolResult.isError !== true) return [];
    const { name, output } = part.toolResult;
    const [line = ''] = (toolOutputText(output) ?? '').trim().split('\n', 1);
    if (line === '') return [];
    // Most texts name their tool.
    const named = line.includes(name) ? line : `${name}: ${line}`;
    return [`  ${printable(shorten(named, errorLength))}`];
  });
}

/** What is meant for the reader: texts and refusals. */
function spokenText(parts: TranscriptMessage['parts']): string {
  return parts
    .map((part) => (part.kind === 'text' || part.kind === 'refusal' ? part.text : ''))
    .join('');
}
