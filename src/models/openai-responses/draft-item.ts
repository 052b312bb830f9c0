/** The native items of an assistant message while they are put together from its parts. */
import type {
  ResponseFunctionToolCall,
  ResponseInputItem,
  ResponseOutputRefusal,
  ResponseOutputText,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses';
import type { Phase } from './own-metadata.ts';
import type { ReasoningRest } from './reasoning-state.ts';

/** One item. Those of other providers have no index and no id. */
export type DraftItem = { readonly outputIndex: number | undefined } & (
  | DraftMessage
  | DraftCall
  | DraftReasoning
  | { readonly kind: 'raw'; readonly item: ResponseInputItem }
);

/** Texts and refusals that were one message, by content index. */
export interface DraftMessage {
  readonly kind: 'message';
  readonly id: string | undefined;
  readonly phase: Phase | undefined;
  readonly status: 'completed' | 'incomplete';
  readonly contents: Map<number, ResponseOutputText | ResponseOutputRefusal>;
}

/** A call, without its item id. */
interface DraftCall {
  readonly kind: 'call';
  readonly id: string | undefined;
  readonly status: 'completed' | 'incomplete';
  readonly call: ResponseFunctionToolCall;
}

/** A reasoning item, from several parts where it had several texts. */
export interface DraftReasoning {
  readonly kind: 'reasoning';
  readonly id: string | undefined;
  /** Where its parts are, to report them. */
  readonly paths: string[];
  readonly summary: Map<number, string>;
  readonly content: Map<number, string>;
  rest: ReasoningRest | undefined;
}

/**
 * The item to send.
 *
 * Without `identified` ids stay behind: an id of an answer that the provider does not keep is only good
 * beside the reasoning that came with it, and an item with an id but without its reasoning is refused.
 * Then the phase is kept all the same.
 */
export function toInputItem(
  draft: Exclude<DraftItem, DraftReasoning>,
  identified: boolean,
): ResponseInputItem {
  switch (draft.kind) {
    case 'raw':
      return draft.item;
    case 'call': {
      const { call, id, status } = draft;
      return identified && id !== undefined ? { ...call, id, status } : call;
    }
    case 'message':
      return toMessageItem(draft, identified);
  }
}

function toMessageItem(
  { id, phase, status, contents }: DraftMessage,
  identified: boolean,
): ResponseInputItem {
  const content = inOrder(contents);
  const said = phase === undefined ? {} : { phase };
  if (identified && id !== undefined) {
    return { type: 'message', id, role: 'assistant', status, content, ...said };
  }
  const texts = content.flatMap((piece) =>
    piece.type === 'output_text' && piece.annotations.length === 0 ? [piece.text] : [],
  );
  if (texts.length === content.length) {
    return { role: 'assistant', content: texts.join(''), ...said };
  }
  // The SDK's type wants an id here, the API does not.
  const nameless: Omit<Extract<ResponseInputItem, { content: typeof content }>, 'id' | 'status'> = {
    type: 'message',
    role: 'assistant',
    content,
    ...said,
  };
  return nameless as ResponseInputItem;
}

/** The item as it came; undefined where it is not known whole. */
export function toReasoningItem({
  rest,
  id,
  summary,
  content,
}: DraftReasoning): ResponseReasoningItem | undefined {
  if (rest === undefined) return undefined;
  const { id: restId, encrypted_content, ...others } = rest;
  const texts = inOrder(content);
  if (typeof encrypted_content !== 'string' && texts.length === 0) return undefined;
  return {
    ...others,
    type: 'reasoning',
    id: typeof restId === 'string' ? restId : (id ?? ''),
    summary: inOrder(summary).map((text) => ({ type: 'summary_text', text })),
    ...(texts.length === 0
      ? {}
      : { content: texts.map((text) => ({ type: 'reasoning_text' as const, text })) }),
    ...(typeof encrypted_content === 'string' ? { encrypted_content } : {}),
  };
}

function inOrder<Value>(byIndex: ReadonlyMap<number, Value>): Value[] {
  return [...byIndex].sort(([first], [second]) => first - second).map(([, value]) => value);
}
