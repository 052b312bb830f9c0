/** The output items of a scripted answer, each with the events between its start and its end. */
import type { ToolCall } from '../../chat/tool-call.ts';
import type { ResolvedAnswer } from '../../models/scripted.ts';
import { fragments, idFrom, words } from '../provider-server/wire-text.ts';

/** One item: as it is announced, what is said of it, and as it ends. */
export interface ScriptedItem {
  readonly added: object;
  /** Whether its announcement says a piece of the script already. */
  readonly isDelta: boolean;
  /** Without the members that place an event. */
  readonly events: readonly ItemEvent[];
  readonly done: { readonly id: string; readonly [name: string]: unknown };
}

interface ItemEvent {
  readonly type: string;
  readonly isDelta?: boolean;
  readonly [name: string]: unknown;
}

type EndStatus = 'completed' | 'incomplete';

/**
 * Reasoning, then a message with text and refusal, then calls; as many of them as the script has.
 * @param seed decides the ids
 * @param endStatus what becomes of the last item, where an answer breaks off
 */
export function toScriptedItems(
  scripted: ResolvedAnswer,
  seed: string,
  endStatus: EndStatus,
): ScriptedItem[] {
  const { reasoning, text, refusal, calls } = scripted;
  const makers = [
    ...(reasoning === undefined ? [] : [() => reasoningItem(reasoning, seed)]),
    ...(text === undefined && refusal === undefined
      ? []
      : [(status: EndStatus) => messageItem(text, refusal, seed, status)]),
    ...calls.map(
      (call, at) => (status: EndStatus) =>
        callItem(call, `fc_${idFrom(`${at} ${seed}`, 48)}`, status),
    ),
  ];
  return makers.map((make, at) => make(at === makers.length - 1 ? endStatus : 'completed'));
}

function reasoningItem(reasoning: string, seed: string): ScriptedItem {
  const id = `rs_${idFrom(`reasoning ${seed}`, 48)}`;
  const part = (text: string) => ({ type: 'summary_text', text });
  const at = { summary_index: 0 };
  return {
    added: { id, type: 'reasoning', summary: [] },
    isDelta: false,
    events: [
      { type: 'response.reasoning_summary_part.added', ...at, part: part('') },
      ...words(reasoning).map((delta) => ({
        type: 'response.reasoning_summary_text.delta',
        ...at,
        delta,
        isDelta: true,
      })),
      { type: 'response.reasoning_summary_text.done', ...at, text: reasoning },
      { type: 'response.reasoning_summary_part.done', ...at, part: part(reasoning) },
    ],
    done: {
      id,
      type: 'reasoning',
      summary: [part(reasoning)],
      encrypted_content: idFrom(`encrypted ${seed}`, 80),
    },
  };
}

function messageItem(
  text: string | undefined,
  refusal: string | undefined,
  seed: string,
  status: EndStatus,
): ScriptedItem {
  const shared = { id: `msg_${idFrom(`message ${seed}`, 48)}`, type: 'message' };
  const contents = [
    ...(text === undefined ? [] : [textContent(text)]),
    ...(refusal === undefined ? [] : [refusalContent(refusal)]),
  ];
  const message = (state: string, content: readonly object[]) => ({
    ...shared,
    status: state,
    content,
    role: 'assistant',
  });
  return {
    added: message('in_progress', []),
    isDelta: false,
    events: contents.flatMap(({ empty, deltas, end, whole }, index) => {
      const at = { content_index: index };
      return [
        { type: 'response.content_part.added', ...at, part: empty },
        ...deltas.map((event) => ({ ...event, ...at, isDelta: true })),
        { ...end, ...at },
        { type: 'response.content_part.done', ...at, part: whole },
      ];
    }),
    done: message(
      status,
      contents.map(({ whole }) => whole),
    ),
  };
}

function textContent(text: string) {
  const part = (said: string) => ({
    type: 'output_text',
    annotations: [],
    logprobs: [],
    text: said,
  });
  return {
    empty: part(''),
    deltas: words(text).map((delta) => ({
      type: 'response.output_text.delta',
      delta,
      logprobs: [],
    })),
    end: { type: 'response.output_text.done', text, logprobs: [] },
    whole: part(text),
  };
}

function refusalContent(refusal: string) {
  const part = (said: string) => ({ type: 'refusal', refusal: said });
  return {
    empty: part(''),
    deltas: words(refusal).map((delta) => ({ type: 'response.refusal.delta', delta })),
    end: { type: 'response.refusal.done', refusal },
    whole: part(refusal),
  };
}

function callItem(call: ToolCall, id: string, status: EndStatus): ScriptedItem {
  const { id: callId, name, arguments: text = '' } = call;
  const item = (state: string, said: string) => ({
    id,
    type: 'function_call',
    status: state,
    arguments: said,
    call_id: callId,
    name,
  });
  return {
    added: item('in_progress', ''),
    isDelta: true,
    events: [
      ...fragments(text, 8).map((delta) => ({
        type: 'response.function_call_arguments.delta',
        delta,
        isDelta: true,
      })),
      { type: 'response.function_call_arguments.done', arguments: text },
    ],
    done: item(status, text),
  };
}
