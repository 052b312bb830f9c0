/** Writes to a client what was planned for its call. */
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { OpenCall } from './call-log.ts';
import type { ResponsePlan } from './response-plan.ts';

/**
 * Stops where the client goes away.
 * @param requestIdHeader the header that names the call
 */
export async function performPlan(
  plan: ResponsePlan,
  call: OpenCall,
  response: ServerResponse,
  requestIdHeader: string,
  closed: AbortSignal,
): Promise<void> {
  try {
    await pause(plan.beforeMs, closed);
    if (plan.head !== undefined) {
      const requestId = `req_${String(call.index).padStart(24, '0')}`;
      response.writeHead(plan.head.status, { [requestIdHeader]: requestId, ...plan.head.headers });
      response.flushHeaders();
    }
    for (const [position, piece] of plan.pieces.entries()) {
      if (position > 0) await pause(plan.betweenMs, closed);
      const isEnd = plan.ending === 'end' && position === plan.pieces.length - 1;
      // Clients leave at the last event: sent together with the end of the body, they cannot leave before it.
      await write(response, piece, isEnd);
      if (position < plan.deltas) call.sent();
    }
  } catch (error) {
    if (closed.aborted) return;
    throw error;
  }
  if (plan.ending === 'end' && plan.pieces.length === 0) response.end();
  if (plan.ending === 'destroy') {
    call.ended('cut');
    response.socket?.destroy();
  }
}

async function pause(ms: number, closed: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal: closed });
}

/** Settles when the piece is with the operating system, so that a cut comes after it. */
function write(response: ServerResponse, piece: string, isEnd: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null) => (error == null ? resolve() : reject(error));
    if (isEnd) response.end(piece, done);
    else response.write(piece, done);
  });
}
