/** Packs what a resend needs of a reasoning item beside its texts into the state of a reasoning part. */
import { copyJson } from '../../chat/copy-json.ts';
import type { JsonObject } from '../../chat/json.ts';

/** A reasoning item without its texts: id, encrypted content, and whatever else came with it. */
export type ReasoningRest = JsonObject;

/** The state (base64) of an item that is done; undefined where it is no exact JSON. */
export function toReasoningState(item: object): string | undefined {
  const { summary, content, ...rest }: Record<string, unknown> = { ...item };
  const copy = copyJson(rest);
  return copy.ok ? Buffer.from(JSON.stringify(copy.value)).toString('base64') : undefined;
}

/** The item from its state; undefined for the state of another adapter. */
export function fromReasoningState(state: string): ReasoningRest | undefined {
  try {
    const copy = copyJson(JSON.parse(Buffer.from(state, 'base64').toString('utf8')));
    if (!copy.ok || typeof copy.value !== 'object' || copy.value === null) return undefined;
    if (Array.isArray(copy.value) || copy.value['type'] !== 'reasoning') return undefined;
    return copy.value;
  } catch {
    return undefined;
  }
}
