/** Asks the person at the terminal about the calls that wait, one after another, while the run goes on. */
import { setImmediate } from 'node:timers/promises';
import { commandsFor } from '../client/commands-for.ts';
import { EverloopError } from '../everloop-error.ts';
import type { DecideInput } from '../loop/control.ts';
import type { RunEvent } from '../loop/events.ts';
import type { Attendant, Desk } from './attendant.ts';
import { oneLine, shorten } from './format.ts';
import { parseCallInput } from './parse-call-input.ts';
import type { PromptLine, Reply } from './prompt-line.ts';
import { readQuestion } from './read-question.ts';
import { printable, writeNote } from './terminal.ts';
import { callText } from './waiting-calls.ts';
import { whoDecides } from './who-decides.ts';

/** A call that waits, and how to take back the question about it. */
interface Waiting {
  readonly event: Extract<RunEvent, { type: 'approval-request' | 'question' }>;
  readonly over: AbortController;
}

type Decision = Omit<DecideInput, 'callId' | 'by'>;

/** Makes the attendant who asks at the prompt. A decision made elsewhere takes its question back. */
export function createPrompter(line: PromptLine, desk: Desk): Attendant {
  const { terminal } = line;
  const queue: Waiting[] = [];
  const agents = new Map<string, string>();
  let isAsking = false;
  let hasLeft = false;

  const note = (text: string) => writeNote(terminal, printable(text));

  /** Whether somebody still has to be asked about it afterwards: nobody, once it is decided on, here or elsewhere. */
  const tell = async (say: () => Promise<void>, { over }: Waiting): Promise<'told' | 'again'> => {
    try {
      await say();
      return 'told';
    } catch (error) {
      note(error instanceof Error ? error.message : String(error));
      const isRefused = error instanceof EverloopError && error.code !== 'engine_unreachable';
      return isRefused || over.signal.aborted ? 'told' : 'again';
    }
  };

  const askInput = async (draft: string, signal: AbortSignal): Promise<Decision | Reply> => {
    for (let text = onOneLine(draft); ; ) {
      const reply = await line.ask({ text: 'Input:', draft: text, signal });
      if (reply.kind !== 'said') return reply;
      if (reply.text === '') return { kind: 'said', text: '' };
      try {
        return { decision: 'edit', input: parseCallInput(reply.text, 'This') };
      } catch (error) {
        note(error instanceof Error ? error.message : String(error));
        text = reply.text;
      }
    }
  };

  const askApproval = async (waiting: Waiting): Promise<Reply['kind']> => {
    const { event, over } = waiting;
    if (event.type !== 'approval-request') return 'closed';
    const { runId, data } = event;
    const { callId, name, input } = data;
    const agent = agents.get(runId);
    const whose = agent === undefined ? '' : ` of sub-agent ${agent}`;
    const text = `Allow ${callText(name, input)}${printable(whose)}? [y]es, [n]o, [a]lways, [e]dit`;
    // Nobody should decide on what they cannot see.
    if (callText(name, input).endsWith('…')) note(wholeInput(input));
    for (;;) {
      const reply = await line.ask({ text, signal: over.signal });
      if (reply.kind !== 'said') return reply.kind;
      let decision: Decision | Reply | undefined = decisionIn(reply.text);
      if (decision === undefined && /^e(dit)?$/i.test(reply.text)) {
        decision = await askInput(input, over.signal);
        if ('kind' in decision && decision.kind !== 'said') return decision.kind;
        if ('kind' in decision) continue;
      }
      if (decision === undefined || 'kind' in decision) {
        note(
          'y, n (and why, if you like), a for all further calls of this tool, or e to change it',
        );
        continue;
      }
      const given = { ...decision, ...whoDecides(terminal, undefined) };
      const told = await tell(() => desk.decide(runId, callId, given), waiting);
      if (told === 'told') return 'said';
    }
  };

  const askAnswer = async (waiting: Waiting): Promise<Reply['kind']> => {
    const { event, over } = waiting;
    const { runId, data } = event;
    const { lines, choices } = readQuestion(data.name, data.input);
    for (const each of lines) note(each);
    const text = choices.length === 0 ? 'Answer:' : `Answer (1-${choices.length}, or a text):`;
    for (;;) {
      const reply = await line.ask({ text, signal: over.signal });
      if (reply.kind !== 'said') return reply.kind;
      if (reply.text === '') continue;
      const chosen = /^\d+$/.test(reply.text) ? choices[Number(reply.text) - 1] : undefined;
      const answer = chosen ?? reply.text;
      const told = await tell(() => desk.answer(runId, data.callId, answer), waiting);
      if (told === 'told') return 'said';
    }
  };

  const askAll = async () => {
    if (isAsking || hasLeft) return;
    isAsking = true;
    for (let next = queue[0]; next !== undefined && !hasLeft; next = queue[0]) {
      // What was decided long ago is told right after its request.
      await setImmediate();
      if (!next.over.signal.aborted) {
        const ask = next.event.type === 'question' ? askAnswer : askApproval;
        const end = await ask(next);
        hasLeft = end === 'interrupted' || end === 'ended';
        if (end === 'ended') sayWhatElse([...queue]);
      }
      remove(next);
    }
    isAsking = false;
  };

  const remove = (waiting: Waiting) => {
    const index = queue.indexOf(waiting);
    if (index >= 0) queue.splice(index, 1);
  };

  const sayWhatElse = (waiting: readonly Waiting[]) => {
    for (const { event } of waiting) {
      const kind = event.type === 'question' ? 'answer' : 'approval';
      note(`  ${commandsFor(event.runId, event.data.callId, kind)}`);
    }
  };

  const close = (isMeant: (waiting: Waiting) => boolean) => {
    for (const waiting of queue.filter(isMeant)) {
      waiting.over.abort();
      remove(waiting);
    }
  };

  return {
    event(event) {
      switch (event.type) {
        case 'child-start':
          agents.set(event.data.runId, event.data.agent);
          return;
        case 'approval-request':
        case 'question': {
          const waiting = { event, over: new AbortController() };
          if (hasLeft) return sayWhatElse([waiting]);
          queue.push(waiting);
          askAll().catch((error: unknown) => note(String(error)));
          return;
        }
        case 'approval-decision':
        case 'answer': {
          const { runId, data } = event;
          return close((waiting) => {
            return waiting.event.runId === runId && waiting.event.data.callId === data.callId;
          });
        }
        case 'run-end':
          return close((waiting) => waiting.event.runId === event.runId);
      }
    },
    end() {
      close(() => true);
    },
  };
}

/** A decision that needs no further question. */
function decisionIn(text: string): Decision | undefined {
  if (/^y(es)?$/i.test(text)) return { decision: 'allow' };
  if (/^a(lways)?$/i.test(text)) return { decision: 'allow', remember: true };
  const [, reason] = /^no?(?:[\s,:]+(.*))?$/i.exec(text) ?? [];
  if (!/^no?([\s,:]|$)/i.test(text)) return undefined;
  return { decision: 'deny', ...(reason !== undefined && reason !== '' && { reason }) };
}

/** The input as it stands on one line. */
function onOneLine(input: string): string {
  try {
    return printable(JSON.stringify(JSON.parse(input)));
  } catch {
    return printable(oneLine(input));
  }
}

/** A screenful or two; what is longer is in the transcript. */
const inputLength = 4_000;

/** The input over as many lines as it takes. */
function wholeInput(input: string): string {
  let text = input;
  try {
    text = JSON.stringify(JSON.parse(input), undefined, 2);
  } catch {
    // It is shown as it came.
  }
  return shorten(text, inputLength);
}
