/** Makes what a running tool gets beside its input. */
import { Context } from '@temporalio/activity';
import type { ToolRunInput } from '../loop/calls.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { EventBus } from '../storage/event-bus.ts';
import type { ToolContext } from '../tools/define-tool.ts';
import { callHere } from './call-here.ts';
import { createLiveEvents } from './live-events.ts';

/** What a tool reaches of its Worker. */
export interface ToolSurroundings {
  readonly bus: EventBus;
  readonly blobs: BlobStore;
}

/** The context of the call that is running here; `signal` is aborted when it shall stop. */
export function createToolContext(
  { bus, blobs }: ToolSurroundings,
  { call, idempotencyKey, activityId }: ToolRunInput,
  signal: AbortSignal,
): ToolContext {
  const here = callHere(activityId);
  const { runId, iteration, attempt } = here;
  const callId = call.id;
  const live = createLiveEvents(bus, here);
  return {
    signal,
    idempotencyKey,
    attempt,
    run: { id: runId, iteration, callId },
    progress: (value) => live.publish('tool-progress', { callId, value }),
    emit: (type, value) => live.publish(`${call.name}.${type}`, { callId, value }),
    log: Context.current().log,
    blobs: {
      put: (bytes, options) => blobs.put(bytes, options),
      get: (hash) => blobs.get(hash, { signal }),
    },
  };
}
