/** Shows a run while it happens: as text for people, or as lines of JSON. */
import { toolOutputText } from '../chat/text-of.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { UsageTotal } from '../chat/usage.ts';
import { usdText, useText } from '../loop/budget-text.ts';
import type { LiveEvent, RunEvent } from '../loop/events.ts';
import { callIdOf } from '../loop/message-ids.ts';
import type { RunEnd } from '../loop/run-status.ts';
import { controlLine } from './control-line.ts';
import { counted, formatCount, formatSpan, oneLine, shorten } from './format.ts';
import { formatCall } from './format-transcript.ts';
import { mediaLabel } from './media-label.ts';
import type { Terminal } from './terminal.ts';
import { printable, styled, writeJson, writeNote } from './terminal.ts';

/** How a run ended, as far as it is shown. */
export interface RunEnding {
  readonly stopReason: RunEnd;
  /** One plain sentence. */
  readonly ended: string;
  readonly iterations: number;
  readonly usage: UsageTotal;
  /** US dollars. */
  readonly costUsd?: number | undefined;
}

/** The ending that the last event of a run tells of. */
export function toEnding({
  iteration,
  data,
}: Pick<Extract<RunEvent, { type: 'run-end' }>, 'iteration' | 'data'>): RunEnding {
  const { stopReason, detail, usage, costUsd } = data;
  return { stopReason, ended: detail, iterations: iteration, usage, costUsd };
}

/** What is told of a run as it happens. */
export interface RunView {
  /** Told every durable event once, in order. */
  event(event: RunEvent): void;
  /** Told the durable events of the run's sub-agents, if they are followed. */
  other?(event: RunEvent): void;
  /** Told what the Worker in this process streams. */
  live(event: LiveEvent): void;
  /** Told how the run ended, or that nobody looks at it any longer. */
  end(ending?: RunEnding): void;
}

/** One event per line, the result last. */
export function createJsonView(terminal: Terminal, runId: string): RunView {
  return {
    event: (event) => writeJson(terminal, event),
    live: (event) => writeJson(terminal, event),
    end: (ending) => ending && writeJson(terminal, { type: 'result', runId, ...ending }),
  };
}

/** Longest line of a tool call. */
const callLength = 100;

/** What else is shown as text. */
export interface TextViewOptions {
  /** Who looks has not started the run here and now: how it began is shown, too. */
  readonly beginning?: boolean;
}

/** What the model says on stdout, everything else on stderr. */
export function createTextView(terminal: Terminal, options: TextViewOptions = {}): RunView {
  const { stdout } = terminal;
  const { beginning = false } = options;
  const streamed = new Map<number, { attempt: number; text: string }>();
  const calls = new Map<string, { line: string; startedAt: number }>();
  let userMessages = 0;
  let model = '';
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
    if (message.partial === true) note('(cut off)');
    for (const part of message.parts) {
      if (part.kind !== 'tool_call') continue;
      const { id, name, arguments: input } = part.toolCall;
      calls.set(id, { line: formatCall(name, input, callLength), startedAt: 0 });
    }
  };

  const attemptLost = (iteration: number, activityId: string, attempt: number) => {
    const callId = callIdOf(activityId);
    const call = calls.get(callId)?.line;
    // Whoever saw the next attempt stream was told of it then.
    if (call === undefined && (streamed.get(iteration)?.attempt ?? 0) > attempt) return;
    const isModel = /^model(\.|$)/.test(callId);
    note(`(attempt ${attempt} of ${isModel ? 'the model call' : (call ?? callId)} was lost)`);
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
    event(event) {
      const { type, at, iteration, data } = event;
      switch (type) {
        case 'run-start':
          if (beginning) note(beginningLine(data));
          return;
        case 'model-start':
          if (model !== '' && model !== data.model) note(printable(`(now ${data.model} is asked)`));
          model = data.model;
          return;
        case 'model-end':
          if (data.status === 'failed') note(`✗ ${failure(model, data.error.message)}`);
          return;
        case 'attempt-lost':
          return attemptLost(iteration, data.activityId, data.attempt);
        case 'continued':
          return note(`(goes on in part ${data.generation} of its history)`);
        case 'budget-warning':
          return note(`(budget: ${useText(data)} spent)`);
        case 'message-refused':
          return note('✗ a message was refused: it was none that a run can take');
        case 'message': {
          const { message } = data;
          if (message.role === 'assistant') assistant(iteration, message);
          if (message.role === 'tool') return toolErrors(message).forEach(note);
          if (message.role !== 'user') return;
          // The first one is the input, which who starts a run has just given.
          if (beginning || userMessages > 0) note(`user: ${printable(spokenText(message.parts))}`);
          userMessages += 1;
          return;
        }
        case 'tool-start': {
          const line = calls.get(data.callId)?.line ?? printable(data.name);
          calls.set(data.callId, { line, startedAt: at });
          return note(`→ ${line}`);
        }
        case 'tool-end': {
          const startedAt = calls.get(data.callId)?.startedAt ?? at;
          const mark = { finished: '✓', error: '✗', 'not-finished': '?' }[data.status];
          return note(`${mark} ${printable(data.name)} (${formatSpan(at - startedAt)})`);
        }
        default: {
          const line = controlLine(event);
          if (line !== undefined) note(line);
          if (type !== 'approval-decision' || data.decision !== 'edit') return;
          const edited = formatCall(data.name, JSON.stringify(data.input), callLength);
          calls.set(data.callId, { line: edited, startedAt: 0 });
        }
      }
    },
    other(event) {
      const line = controlLine(event);
      if (line !== undefined) note(`  [run ${event.runId}] ${line}`);
    },
    end(ending) {
      endLine();
      if (ending === undefined) return;
      const { stopReason, ended, iterations, usage, costUsd } = ending;
      const colour = stopReason === 'completed' ? 'green' : 'yellow';
      const tokens = formatCount(usage.inputTokens + usage.outputTokens);
      const cost = costUsd === undefined ? '' : `, ${usdText(costUsd)}`;
      const figures = `${counted(iterations, 'iteration')}, ${tokens} tokens${cost}`;
      const reason = styled(terminal.stderr, colour, stopReason);
      terminal.stderr.write(`${reason}: ${printable(ended)} (${figures})\n`);
    },
  };
}

function beginningLine({
  agent,
  title,
  forkedFrom,
}: Extract<RunEvent, { type: 'run-start' }>['data']): string {
  const from =
    forkedFrom === undefined
      ? ''
      : ` (goes on from ${counted(forkedFrom.messages, 'message')} of run ${forkedFrom.runId})`;
  return printable(`agent ${agent}: ${title}${from}`);
}

/** Longest line of what went wrong in a call. */
const errorLength = 200;

function failure(who: string, message: string): string {
  return printable(shorten(`${who}: ${oneLine(message)}`, errorLength));
}

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

/** What is meant for the reader: texts and refusals, then what else is there to see. */
function spokenText(parts: TranscriptMessage['parts']): string {
  const text = parts
    .map((part) => (part.kind === 'text' || part.kind === 'refusal' ? part.text : ''))
    .join('');
  const labels = parts.flatMap((part) => (part.kind === 'media' ? [mediaLabel(part.media)] : []));
  return [text, ...labels].filter((piece) => piece !== '').join(' ');
}
