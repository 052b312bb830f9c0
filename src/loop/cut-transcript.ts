/** Where a transcript may be cut so that what is left is one that every provider takes: never inside a tool batch. */
import { callsOf } from '../chat/calls-of.ts';
import type { Message } from '../chat/message.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { Edit } from './from-point.ts';

/** What is kept of a transcript. */
export interface Cut {
  /** The first messages that are kept as they are. */
  readonly keep: number;
  /** What follows them: the edited message, and what belongs to it. */
  readonly rest: readonly Message[];
  /** Index of the last message of what is kept and what follows. */
  readonly last: number;
  /** Who speaks last; undefined when nothing is kept. */
  readonly lastRole: Message['role'] | undefined;
}

/** Why there is no such cut. `missing`: no message is there; `edit`: the edit would break the transcript. */
export type CutProblem = { readonly kind: 'missing' | 'edit'; readonly text: string };

/**
 * Cuts after message `at`, or at the nearest valid place: after the results of the calls that it is about, or
 * before them where they are not all there.
 * @param window messages from index `first` on: `at`, and the whole batch that it belongs to
 */
export function cutAfter(
  window: readonly TranscriptMessage[],
  first: number,
  at: number,
  edit?: Edit,
): Cut | CutProblem {
  const roleAt = (index: number) => window[index - first]?.role;
  const message = window[at - first];
  if (message === undefined) return { kind: 'missing', text: `there is no message ${at}` };
  const edited = edit === undefined ? undefined : editedBy(message, edit);
  if (edited !== undefined && 'text' in edited) return edited;
  const said = edited ?? message;
  let opener = at;
  while (roleAt(opener) === 'tool') opener -= 1;
  const calls = callsOf(opener === at ? said : window[opener - first]);
  let end = at;
  if (calls.length > 0) while (roleAt(end + 1) === 'tool') end += 1;
  if (calls.length > 0 && !isAnswered(calls, window.slice(opener - first + 1, end - first + 1))) {
    if (edited !== undefined) {
      const text = `message ${at} belongs to tool calls that have no results yet: edit one before them`;
      return { kind: 'edit', text };
    }
    return { keep: opener, rest: [], last: opener - 1, lastRole: roleAt(opener - 1) };
  }
  const following = window.slice(at - first + 1, end - first + 1);
  const lastRole = end === at ? said.role : 'tool';
  return edited === undefined
    ? { keep: end + 1, rest: [], last: end, lastRole }
    : { keep: at, rest: [edited, ...following], last: end, lastRole };
}

/** Whether the messages around `at` that the window holds are enough to cut there. */
export function isWindowEnough(
  window: readonly TranscriptMessage[],
  first: number,
  at: number,
  total: number,
): boolean {
  const begins = first === 0 || (first < at && window[0]?.role !== 'tool');
  const end = first + window.length;
  const last = window.at(-1);
  return begins && (end >= total || (end > at + 1 && last?.role !== 'tool'));
}

function isAnswered(
  calls: readonly { readonly id: string }[],
  results: readonly Message[],
): boolean {
  const answered = new Set(
    results.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.kind === 'tool_result' ? [part.toolResult.id] : [])),
    ),
  );
  return calls.every(({ id }) => answered.has(id));
}

function editedBy(message: TranscriptMessage, edit: Edit): Message | CutProblem {
  const { role } = message;
  if (typeof edit === 'string') return { role, parts: partsOf(message, edit) };
  const bad = (text: string): CutProblem => ({ kind: 'edit', text });
  if (edit.role !== role) return bad(`a message of role ${role} cannot become one of ${edit.role}`);
  if (role === 'assistant' && !isSame(callsOf(edit), callsOf(message), callsOf(edit).length > 0)) {
    return bad('tool calls cannot be changed: keep them as they are, or leave them all out');
  }
  if (role === 'tool' && !isSame(resultIdsOf(edit), resultIdsOf(message), true)) {
    return bad('it must hold the results of the same tool calls');
  }
  return edit;
}

/** A tool result keeps the call that it answers. */
function partsOf({ role, parts }: TranscriptMessage, text: string): Message['parts'] {
  if (role !== 'tool') return [{ kind: 'text', text }];
  return parts.map((part) =>
    part.kind === 'tool_result'
      ? {
          ...part,
          toolResult: { ...part.toolResult, output: { content: [{ kind: 'text', text }] } },
        }
      : part,
  );
}

function isSame(one: unknown, other: unknown, matters: boolean): boolean {
  return !matters || JSON.stringify(one) === JSON.stringify(other);
}

function resultIdsOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.kind === 'tool_result' ? [part.toolResult.id] : []));
}
