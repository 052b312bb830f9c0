/** What the changes of hooks do to a run. */
import type { JsonValue } from '../chat/json.ts';
import type { AgentSpec } from './agent-spec.ts';
import { cutText } from './cut-text.ts';
import { chainDigest, firstDigest } from './digest.ts';
import type { HookChanges } from './hook-changes.ts';
import type { LoopState } from './loop-state.ts';
import { maxMetadataBytes } from './metadata-limit.ts';
import { push } from './push.ts';
import type { Stop } from './stop.ts';
import { utf8Length } from './utf8-length.ts';

/** Longest text that is noted of a hook's error, in UTF-16 code units. */
const errorLength = 500;

/** The state with all changes, in the order in which their hooks are registered. `at`: Workflow time in milliseconds. */
export function applyChanges(
  state: LoopState,
  changes: readonly HookChanges[] | undefined,
  at: number,
): LoopState {
  return changes?.reduce((changed, each) => applyOne(changed, each, at), state) ?? state;
}

function applyOne(state: LoopState, changes: HookChanges, at: number): LoopState {
  const { hook, messages, instructions, tools, metadata, stop, error } = changes;
  let changed = state;
  if (instructions !== undefined) changed = withInstructions(changed, instructions);
  if (messages !== undefined) {
    const createdAt = new Date(at).toISOString();
    const appended = messages.map((message) => ({ ...message, createdAt }));
    changed = { ...changed, transcript: appended.reduce(push, changed.transcript) };
  }
  if (tools !== undefined) changed = { ...changed, hidden: hiddenAfter(changed.hidden, tools) };
  if (metadata !== undefined) changed = withMetadata(changed, hook, metadata);
  if (error !== undefined) changed = noteError(changed, hook, error);
  if (stop !== undefined && changed.halt === undefined) {
    changed = { ...changed, halt: toStop(hook, stop) };
  }
  return changed;
}

/** The agent with further instructions; the digest follows, because every request begins with them. */
function withInstructions(state: LoopState, texts: readonly string[]): LoopState {
  const { agent, transcript } = state;
  if (agent === undefined || texts.length === 0) return state;
  const instructions = [agent.instructions, ...texts].filter((text) => text !== '').join('\n\n');
  const hash = texts.reduce(chainDigest, chainDigest('', agent.hash));
  const changed: AgentSpec = { ...agent, instructions, hash };
  const digest = transcript.tail.reduce(
    (chained, { id }) => chainDigest(chained, id),
    firstDigest(hash, transcript.seed),
  );
  return { ...state, agent: changed, transcript: { ...transcript, digest } };
}

/** Sorted, so that it is a function of the set. */
function hiddenAfter(
  hidden: readonly string[],
  { show = [], hide = [] }: NonNullable<HookChanges['tools']>,
): readonly string[] {
  const names = new Set([...hidden, ...hide]);
  for (const name of show) names.delete(name);
  return [...names].sort();
}

/** What would make the metadata too large is left out, and noted. */
function withMetadata(
  state: LoopState,
  hook: string,
  changes: Readonly<Record<string, JsonValue>>,
): LoopState {
  const metadata = mergeMetadata(state.metadata, changes);
  if (utf8Length(JSON.stringify(metadata)) <= maxMetadataBytes) return { ...state, metadata };
  const why = `its metadata was left out: a run keeps ${maxMetadataBytes} bytes at most`;
  return noteError(state, hook, why);
}

function noteError(state: LoopState, hook: string, error: string): LoopState {
  const metadata = { ...state.metadata, [`${hook}.error`]: cutText(error, errorLength) };
  return { ...state, metadata };
}

/** Key by key, the newer value wins; null deletes. */
function mergeMetadata(
  metadata: LoopState['metadata'],
  changes: Readonly<Record<string, JsonValue>>,
): LoopState['metadata'] {
  const merged = Object.entries({ ...metadata, ...changes });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}

/** The first wish to stop among the changes. */
export function haltOf(changes: readonly HookChanges[] = []): Stop | undefined {
  const first = changes.find(({ stop }) => stop !== undefined);
  return first?.stop === undefined ? undefined : toStop(first.hook, first.stop);
}

function toStop(hook: string, stop: NonNullable<HookChanges['stop']>): Stop {
  const detail = stop.detail ?? `The hook ${hook} stopped the run.`;
  return { reason: stop.reason, detail };
}
