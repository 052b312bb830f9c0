/** Writes an assistant message as the native items that it came from, or as the nearest thing to them. */
import type { ResponseInputItem, ResponseOutputText } from 'openai/resources/responses/responses';
import type { JsonObject, JsonValue } from '../../chat/json.ts';
import type { Message } from '../../chat/message.ts';
import type { Part } from '../../chat/part.ts';
import type { ReportEntry } from '../../chat/report.ts';
import { isBlank } from '../../chat/white-space.ts';
import { notExpressible } from '../adapter/not-expressible.ts';
import { toCallId } from './call-id.ts';
import type { DraftItem, DraftMessage, DraftReasoning } from './draft-item.ts';
import { toInputItem, toReasoningItem } from './draft-item.ts';
import type { ItemNote, Origin } from './own-metadata.ts';
import { notesOf, objectIn, originOf } from './own-metadata.ts';
import { fromReasoningState } from './reasoning-state.ts';

/**
 * Reasoning goes back together with what followed it, or not at all: reasoning of another provider, reasoning
 * that broke off, and reasoning that nothing follows is left out with a report entry.
 *
 * @throws ChatError for media, which the API does not take from the model
 */
export function toAssistantItems(
  message: Message,
  path: string,
  report: ReportEntry[],
): ResponseInputItem[] {
  const notes = notesOf(message.metadata);
  const drafts: DraftItem[] = [];
  for (const [at, part] of message.parts.entries()) {
    addPart(drafts, notes, part, `${path}.parts[${at}]`, report);
  }
  for (const { item, outputIndex } of notes) if (isItem(item)) insert(drafts, item, outputIndex);
  return groupsOf(drafts).flatMap((group) => toItems(group, report));
}

function addPart(
  drafts: DraftItem[],
  notes: readonly ItemNote[],
  part: Part,
  path: string,
  report: ReportEntry[],
): void {
  const origin = originOf(part.metadata);
  const note = notes.find(({ outputIndex }) => outputIndex === origin?.outputIndex);
  switch (part.kind) {
    case 'text': {
      const index = origin?.contentIndex ?? 0;
      const annotations = origin === undefined ? [] : annotationsOf(note?.annotations[index]);
      if (annotations.length === 0 && (part.citations ?? []).length > 0) {
        report.push({
          severity: 'omitted',
          path: `${path}.citations`,
          reason: 'the Responses API takes only citations that it gave itself',
        });
      }
      addContent(drafts, origin, note, { type: 'output_text', text: part.text, annotations });
      return;
    }
    case 'refusal':
      addContent(drafts, origin, note, { type: 'refusal', refusal: part.text });
      return;
    case 'reasoning':
      addReasoning(drafts, origin, part, path);
      return;
    case 'tool_call': {
      const { id, name, arguments: text = '' } = part.toolCall;
      drafts.push({
        kind: 'call',
        outputIndex: origin?.outputIndex,
        id: origin?.itemId,
        status: part.metadata?.['openai/status'] === 'incomplete' ? 'incomplete' : 'completed',
        call: {
          ...(origin === undefined ? {} : objectIn(part.metadata, 'openai/item')),
          type: 'function_call',
          call_id: toCallId(id),
          name,
          // Blank arguments are sent as `{}`: the API wants a JSON object. All others go back as they came.
          arguments: isBlank(text) ? '{}' : text,
        },
      });
      return;
    }
    case 'media':
      throw notExpressible(
        `${path}.media`,
        'the Responses API takes no media from the model',
        'invalid_message',
        'invalid_part',
      );
  }
}

type Content = DraftMessage['contents'] extends Map<number, infer Value> ? Value : never;

/** Texts of one message go back in one, those of other providers as far as they are neighbours. */
function addContent(
  drafts: DraftItem[],
  origin: Origin | undefined,
  note: ItemNote | undefined,
  content: Content,
): void {
  const isSame = (draft: DraftItem | undefined): draft is DraftItem & DraftMessage =>
    draft?.kind === 'message' &&
    draft.outputIndex === origin?.outputIndex &&
    draft.id === origin?.itemId;
  const known = origin === undefined ? [drafts.at(-1)].find(isSame) : drafts.find(isSame);
  const contents: DraftMessage['contents'] = known?.contents ?? new Map();
  const index = origin === undefined ? contents.size : (origin.contentIndex ?? 0);
  contents.set(index, joined(contents.get(index), content));
  if (known !== undefined) return;
  drafts.push({
    kind: 'message',
    outputIndex: origin?.outputIndex,
    id: origin?.itemId,
    phase: note?.phase ?? origin?.phase,
    status: note?.status === 'incomplete' ? 'incomplete' : 'completed',
    contents,
  });
}

/** A text that other parts interrupted has several parts. */
function joined(first: Content | undefined, second: Content): Content {
  if (first?.type === 'output_text' && second.type === 'output_text') {
    return { ...first, text: first.text + second.text };
  }
  if (first?.type === 'refusal' && second.type === 'refusal') {
    return { ...first, refusal: first.refusal + second.refusal };
  }
  return second;
}

function addReasoning(
  drafts: DraftItem[],
  origin: Origin | undefined,
  part: Extract<Part, { kind: 'reasoning' }>,
  path: string,
): void {
  const isSame = (draft: DraftItem): draft is DraftItem & DraftReasoning =>
    draft.kind === 'reasoning' &&
    draft.outputIndex === origin?.outputIndex &&
    draft.id === origin?.itemId;
  let draft = origin === undefined ? undefined : drafts.find(isSame);
  if (draft === undefined) {
    draft = {
      kind: 'reasoning',
      outputIndex: origin?.outputIndex,
      id: origin?.itemId,
      paths: [],
      summary: new Map(),
      content: new Map(),
      rest: undefined,
    };
    drafts.push(draft);
  }
  draft.paths.push(path);
  if (origin === undefined) return;
  const add = (texts: Map<number, string>, index: number | undefined) => {
    if (index !== undefined && part.text) texts.set(index, (texts.get(index) ?? '') + part.text);
  };
  add(draft.summary, origin.summaryIndex);
  add(draft.content, origin.contentIndex);
  if (part.reasoningState !== undefined) draft.rest = fromReasoningState(part.reasoningState);
}

/** Reasoning and all that follows it, up to the next reasoning. */
interface Group {
  readonly reasoning: DraftReasoning[];
  readonly followers: Exclude<DraftItem, DraftReasoning>[];
}

function groupsOf(drafts: readonly DraftItem[]): Group[] {
  const groups: Group[] = [];
  for (const draft of drafts) {
    let group = groups.at(-1);
    const startsNew = draft.kind === 'reasoning' && (group?.followers.length ?? 0) > 0;
    if (group === undefined || startsNew) {
      group = { reasoning: [], followers: [] };
      groups.push(group);
    }
    if (draft.kind === 'reasoning') group.reasoning.push(draft);
    else group.followers.push(draft);
  }
  return groups;
}

function toItems({ reasoning, followers }: Group, report: ReportEntry[]): ResponseInputItem[] {
  const thought = reasoning.flatMap((draft) => toReasoningItem(draft) ?? []);
  const isWhole = thought.length === reasoning.length && followers.length > 0;
  const identified = isWhole && thought.length > 0;
  if (!isWhole) {
    const reason =
      followers.length === 0
        ? 'the Responses API takes reasoning only with what followed it, and nothing did'
        : 'the Responses API takes only its own reasoning, and only where it came to its end';
    for (const path of reasoning.flatMap(({ paths }) => paths)) {
      report.push({ severity: 'omitted', path, reason });
    }
  }
  return [
    ...(identified ? thought : []),
    ...followers.map((draft) => toInputItem(draft, identified)),
  ];
}

/** Puts an item where it stood among those that have an index. */
function insert(drafts: DraftItem[], item: ResponseInputItem, outputIndex: number): void {
  const next = drafts.findIndex(
    (draft) => draft.outputIndex !== undefined && draft.outputIndex > outputIndex,
  );
  drafts.splice(next < 0 ? drafts.length : next, 0, { kind: 'raw', outputIndex, item });
}

/** Whatever the API gave as output it takes as input. */
function isItem(item: JsonObject | undefined): item is JsonObject & ResponseInputItem {
  return typeof item?.['type'] === 'string';
}

type Annotations = ResponseOutputText['annotations'];

function annotationsOf(value: JsonValue | undefined): Annotations {
  return isAnnotations(value) ? value : [];
}

/** They came from the API as they are. */
function isAnnotations(value: unknown): value is Annotations {
  return Array.isArray(value);
}
