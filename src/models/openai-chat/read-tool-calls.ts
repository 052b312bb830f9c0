/** Joins the streamed pieces of tool calls, which are told apart by their index alone. */

import { freeId } from '../adapter/free-id.ts';
import { wholeText } from '../adapter/whole-text.ts';
import type { WireToolCall } from './wire-chunk.ts';

/** A call being received. `id` is the one to show: unique in the response. */
interface OpenCall {
  readonly index: number;
  readonly wireId: string | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** Arguments that cannot be passed on yet, because id or name is unknown. */
  readonly waiting: string;
  /** Half of a code point at the end of the arguments. */
  readonly held: string;
}

/** All calls of one response. `current` leads from a wire index to the newest call at that index. */
export interface ToolCallState {
  readonly calls: readonly OpenCall[];
  readonly current: ReadonlyMap<number, number>;
}

/** Before the first piece of any call. */
export const noToolCalls: ToolCallState = { calls: [], current: new Map() };

/** A piece of a call with id and name filled in. */
export interface ToolCallPiece {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** The id as the provider sent it, where it had to be changed to be unique. */
  readonly wireId?: string;
}

/**
 * Adds one piece. Nothing comes out while id or name is unknown, or when the piece says nothing new.
 * Another id at a known index starts another call (some gateways number every call 0), and an id that an
 * earlier call has already gets a suffix, `_2`, `_3` and so on: no two calls are ever merged.
 */
export function addToolCallPiece(
  state: ToolCallState,
  piece: WireToolCall,
): { readonly state: ToolCallState; readonly piece?: ToolCallPiece } {
  const wireId = piece.id || undefined;
  const index = piece.index ?? indexFor(state, wireId);
  const at = state.current.get(index);
  const known = at === undefined ? undefined : state.calls[at];
  const isNew =
    known === undefined ||
    (wireId !== undefined && known.wireId !== undefined && wireId !== known.wireId);
  const before = isNew ? { ...emptyCall, index } : known;
  const position = isNew || at === undefined ? state.calls.length : at;

  const id =
    before.id ??
    (wireId === undefined
      ? undefined
      : freeId(wireId, new Set(state.calls.map((call) => call.id))));
  const name = before.name ?? (piece.function?.name || undefined);
  const whole = wholeText(before.waiting + before.held, piece.function?.arguments ?? '');
  const identified = id !== undefined && name !== undefined;
  const call: OpenCall = {
    index,
    wireId: before.wireId ?? wireId,
    id,
    name,
    waiting: identified ? '' : whole.text,
    held: whole.held,
  };
  const next: ToolCallState = {
    calls: [...state.calls.slice(0, position), call, ...state.calls.slice(position + 1)],
    current: isNew ? new Map(state.current).set(index, position) : state.current,
  };
  const firstSight = before.id === undefined || before.name === undefined;
  if (!identified || (whole.text === '' && !firstSight)) return { state: next };
  return {
    state: next,
    piece: {
      id,
      name,
      arguments: whole.text,
      ...(firstSight && call.wireId !== undefined && call.wireId !== id
        ? { wireId: call.wireId }
        : {}),
    },
  };
}

/** The first call that cannot be passed on: it never got an id or a name, or ends inside a code point. */
export function unfinishedToolCall(state: ToolCallState): string | undefined {
  for (const call of state.calls) {
    if (call.id === undefined || call.name === undefined) {
      const bytes = Buffer.byteLength(call.waiting);
      const missing = call.id === undefined ? 'id' : 'name';
      return `tool call at index ${call.index} (${call.name ?? call.id ?? 'unnamed'}, ${bytes} bytes of arguments) has no ${missing}`;
    }
    if (call.held !== '')
      return `arguments of tool call ${call.id} end in the middle of a code point`;
  }
  return undefined;
}

const emptyCall: Omit<OpenCall, 'index'> = {
  wireId: undefined,
  id: undefined,
  name: undefined,
  waiting: '',
  held: '',
};

/** Where a piece without an index belongs: with the call of that id, else it goes on with the newest call. */
function indexFor(state: ToolCallState, wireId: string | undefined): number {
  const indexes = [...state.current.keys()];
  if (wireId === undefined) return indexes.at(-1) ?? 0;
  for (const [index, position] of state.current) {
    if (state.calls[position]?.wireId === wireId) return index;
  }
  return Math.max(-1, ...indexes) + 1;
}
