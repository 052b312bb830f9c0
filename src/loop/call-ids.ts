/** Keeps tool call ids unique in a transcript and usable as part of an Activity id. */
import type { Message } from '../chat/message.ts';

/** Ids that name other Activities of an iteration. */
const reserved = /^(model|compact|hook|seal)(\.|$)/;
const usable = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Renames the calls of an assistant message whose id is taken, reserved or unusable: providers repeat ids,
 * and some accept back only what matches `[A-Za-z0-9_-]{1,64}`. Deterministic in its arguments.
 * @param taken ids of all earlier calls in the transcript
 */
export function withUniqueCallIds<M extends Message>(message: M, taken: ReadonlySet<string>): M {
  const seen = new Set(taken);
  let changed = false;
  const parts = message.parts.map((part) => {
    if (part.kind !== 'tool_call') return part;
    const id = freeId(part.toolCall.id, seen);
    seen.add(id);
    if (id === part.toolCall.id) return part;
    changed = true;
    return { ...part, toolCall: { ...part.toolCall, id } };
  });
  return changed ? { ...message, parts } : message;
}

function freeId(wanted: string, taken: ReadonlySet<string>): string {
  const base =
    usable.test(wanted) && !reserved.test(wanted)
      ? wanted
      : `call_${wanted.replace(/[^A-Za-z0-9_-]+/g, '_')}`.slice(0, 56);
  if (!taken.has(base)) return base;
  for (let n = 2; ; n += 1) {
    const id = `${base.slice(0, 58)}_${n}`;
    if (!taken.has(id)) return id;
  }
}
