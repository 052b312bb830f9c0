/** Turns the events of a Messages stream into deltas, one event at a time and without I/O. */

import { ModelError } from '../../chat/model-error.ts';
import type { PartDelta } from '../../chat/part-delta.ts';
import type { ReportEntry } from '../../chat/report.ts';
import type { ResponseDelta } from '../../chat/response-delta.ts';
import type { ReadStep } from '../adapter/adapter-model.ts';
import { invalidResponse } from '../adapter/invalid-response.ts';
import { membersOf } from '../adapter/members-of.ts';
import { kindByName, withoutKeys } from '../adapter/to-model-error.ts';
import type { BlockStep, OpenBlock } from './read-block.ts';
import { addToBlock, closeBlock, openBlock } from './read-block.ts';
import { mergeUsage, readMessageUsage } from './read-message-usage.ts';
import type { WireUsage } from './wire-event.ts';
import { knownEvents, WireEvent } from './wire-event.ts';

/** What has to be remembered between events. */
export interface ReadState {
  /** Blocks by index; undefined for those that have ended. */
  readonly blocks: ReadonlyMap<number, OpenBlock | undefined>;
  /** For each block that said something, the position of its part in the message. */
  readonly positions: ReadonlyMap<number, number>;
  readonly callIds: ReadonlySet<string>;
  /** Citations as they came, by the position of their part. */
  readonly citations: Readonly<Record<string, readonly unknown[]>>;
  readonly usage: WireUsage | undefined;
  /** Why and how the answer ended; held back, because usage comes with it. */
  readonly ending: Extract<WireEvent, { type: 'message_delta' }>['delta'];
  readonly isStopped: boolean;
  readonly report: readonly ReportEntry[];
}

/** Before the first event. */
export const initialReadState: ReadState = {
  blocks: new Map(),
  positions: new Map(),
  callIds: new Set(),
  citations: {},
  usage: undefined,
  ending: {},
  isStopped: false,
  report: [],
};

/** True once the provider has said why it stopped: the answer is whole, whatever happens to the connection. */
export function isFinished(state: ReadState): boolean {
  return Boolean(state.ending.stop_reason);
}

/** True after the last event. */
export function isComplete(state: ReadState): boolean {
  return state.isStopped && isFinished(state);
}

/**
 * Reads one event. The delta is absent when the event says nothing that can be passed on yet.
 * @throws ModelError `invalid_response` for what no Messages stream may contain, and the error that it reports
 */
export function readEvent(state: ReadState, wire: unknown): ReadStep<ReadState> {
  const type = membersOf(wire)?.['type'];
  // Pings, and events that are newer than this reader.
  if (typeof type === 'string' && !knownEvents.has(type)) return { state };
  const parsed = WireEvent.safeParse(wire);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw invalidResponse(`event member ${issue?.path.join('.') || '(root)'}: ${issue?.message}`);
  }
  const event = parsed.data;
  switch (event.type) {
    case 'message_start':
      return start(state, event.message);
    case 'content_block_start': {
      if (state.blocks.has(event.index)) throw invalidResponse(`block ${event.index} began twice`);
      return say(state, openBlock(event.index, event.content_block, state.callIds));
    }
    case 'content_block_delta':
      return say(state, addToBlock(openBlockAt(state, event.index), event.delta));
    case 'content_block_stop':
      return stop(state, openBlockAt(state, event.index));
    case 'message_delta': {
      const usage = mergeUsage(state.usage, event.usage);
      return { state: { ...state, usage, ending: { ...state.ending, ...event.delta } } };
    }
    case 'message_stop':
      return { state: { ...state, isStopped: true } };
    case 'error':
      throw reportedError(event.error ?? {});
  }
}

/** Ends the blocks that the stream has not ended itself. */
export function closeOpenBlocks(before: ReadState): {
  readonly state: ReadState;
  readonly parts: readonly PartDelta[];
} {
  let state = before;
  const parts: PartDelta[] = [];
  for (const block of before.blocks.values()) {
    if (block === undefined) continue;
    const step = stop(state, block);
    state = step.state;
    parts.push(...(step.delta?.parts ?? []));
  }
  return { state, parts };
}

/** Usage is passed on at once: it is all that is known of it when the answer is cancelled. */
function start(
  state: ReadState,
  message: Extract<WireEvent, { type: 'message_start' }>['message'],
): ReadStep<ReadState> {
  const wireUsage = mergeUsage(state.usage, message.usage);
  const usage = wireUsage === undefined ? undefined : readMessageUsage(wireUsage).usage;
  const id = message.id?.trim();
  const model = message.model?.trim();
  const metadata = {
    ...(id ? { id } : {}),
    ...(model ? { model } : {}),
    ...(usage === undefined ? {} : { usage }),
  };
  const next = { ...state, usage: wireUsage };
  return Object.keys(metadata).length === 0
    ? { state: next }
    : { state: next, delta: { metadata } };
}

function say(state: ReadState, { block, parts }: BlockStep): ReadStep<ReadState> {
  const next: ReadState = {
    ...state,
    blocks: new Map(state.blocks).set(block.index, block),
    positions: positionsAfter(state, block.index, parts),
    callIds:
      block.kind === 'tool_use' && !state.callIds.has(block.id)
        ? new Set(state.callIds).add(block.id)
        : state.callIds,
  };
  return { state: next, ...deltaOf(parts) };
}

function stop(state: ReadState, block: OpenBlock): ReadStep<ReadState> {
  const parts = closeBlock(block);
  const positions = positionsAfter(state, block.index, parts);
  const next = { ...state, blocks: new Map(state.blocks).set(block.index, undefined), positions };
  const citations = block.kind === 'text' ? block.citations : [];
  if (citations.length === 0) return { state: next, ...deltaOf(parts) };
  const position = positions.get(block.index);
  if (position === undefined) {
    const reason = 'no text came that the citations could belong to';
    const entry: ReportEntry = { severity: 'omitted', path: `content[${block.index}]`, reason };
    return { state: { ...next, report: [...state.report, entry] } };
  }
  return { state: { ...next, citations: { ...state.citations, [position]: citations } } };
}

/** A block becomes one part, in its place from its first word on. */
function positionsAfter(
  { positions }: ReadState,
  index: number,
  parts: readonly PartDelta[],
): ReadState['positions'] {
  if (parts.length === 0 || positions.has(index)) return positions;
  return new Map(positions).set(index, positions.size);
}

function deltaOf(parts: readonly PartDelta[]): { delta?: ResponseDelta } {
  return parts.length === 0 ? {} : { delta: { parts: [...parts] } };
}

function openBlockAt(state: ReadState, index: number): OpenBlock {
  const block = state.blocks.get(index);
  if (block === undefined) throw invalidResponse(`block ${index} is not open`);
  return block;
}

/** Some gateways leave out the name of the event by which such errors are known before they come here. */
function reportedError(error: Readonly<Record<string, unknown>>): ModelError {
  const providerType = typeof error['type'] === 'string' ? error['type'] : '';
  const said = typeof error['message'] === 'string' ? error['message'] : '';
  const message = withoutKeys(said || 'the provider reported an error inside the stream');
  return new ModelError(message, {
    kind: kindByName(providerType, message),
    ...(providerType === '' ? {} : { providerType }),
  });
}
