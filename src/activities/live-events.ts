/** Tells watchers what an attempt does while it does it. Nothing of it is recorded. */
import type { PartDelta } from '../chat/part-delta.ts';
import type { LiveEvent, LiveEventTable, LiveEventType } from '../loop/events.ts';
import type { EventBus } from '../storage/event-bus.ts';
import type { CallHere } from './call-here.ts';

/** Publishes the live events of one attempt, numbered from 0. */
export interface LiveEvents {
  publish<Type extends LiveEventType>(type: Type, data: LiveEventTable[Type]): void;
  /** What of a model's delta is worth watching. */
  publishParts(parts: readonly PartDelta[]): void;
}

/** The live events of a call. */
export function createLiveEvents(
  bus: EventBus,
  { runId, iteration, attempt }: CallHere,
): LiveEvents {
  const where = { runId, iteration, attempt };
  let seq = 0;
  const live: LiveEvents = {
    publish(type, data) {
      // The mapped union cannot be indexed by a type parameter; the signature ties type and data together.
      bus.publish({ ...where, seq, type, data } as LiveEvent);
      seq += 1;
    },
    publishParts(parts) {
      for (const part of parts) publishPart(live, part);
    },
  };
  return live;
}

function publishPart(live: LiveEvents, part: PartDelta): void {
  if (part.kind === 'text') live.publish('text-delta', { text: part.text });
  if (part.kind === 'refusal') live.publish('refusal-delta', { text: part.text });
  // Reasoning state without text is for the provider alone.
  if (part.kind === 'reasoning' && part.text !== undefined) {
    live.publish('reasoning-delta', { text: part.text });
  }
  if (part.kind === 'tool_call') {
    const { id, name, arguments: argumentsDelta = '' } = part.toolCall;
    live.publish('tool-call-delta', { callId: id, name, argumentsDelta });
  }
}
