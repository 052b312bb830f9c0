/** Makes what a running tool gets beside its input. */
import { activityInfo, Context } from '@temporalio/activity';
import type { ToolRunInput } from '../loop/calls.ts';
import { iterationOf } from '../loop/message-ids.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { EventBus } from '../storage/event-bus.ts';
import type { ToolContext } from '../tools/define-tool.ts';
import { createLiveEvents } from './live-events.ts';

/** What a tool reaches of its Worker. */
export interface ToolSurroundings {
  readonly bus: EventBus;
  readonly blobs: BlobStore;
}

/** The context of the call that is running here; `signal` is aborted when it shall stop. */
export function createToolContext(
  { bus, blobs }: ToolSurroundings,
  { call, idempotencyKey }: ToolRunInput,
  signal: AbortSignal,
): ToolContext {
  const { activityId, attempt, workflowExecution } = activityInfo();
  const callId = call.id;
  const live = createLiveEvents(bus);
  return {
    signal,
    idempotencyKey,
    attempt,
    run: { id: workflowExecution?.workflowId ?? '', iteration: iterationOf(activityId), callId },
    progress: (value) => live.publish('tool-progress', { callId, value }),
    emit: (type, value) => live.publish(`${call.name}.${type}`, { callId, value }),
    log: Context.current().log,
    blobs: {
      put: (bytes, options) => blobs.put(bytes, options),
      get: (hash) => blobs.get(hash, { signal }),
    },
  };
}
