/** Waits until a starting Temporal server serves a namespace, and sets its retention. */
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { retention } from './dev-server-settings.ts';
import { knock } from './ports.ts';

/** Between two tries: a start takes half a second, and a try costs nothing. */
const pauseMs = 20;

/** One request of a starting server; a lost one must not eat the deadline of the whole start. */
const requestTimeoutMs = 2_000;

/** Resolves when the server at `address` serves `namespace`; rejects when `signal` says so first. */
export async function untilServing(
  address: string,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  // gRPC waits before it connects again; a plain socket tells at once that somebody listens.
  await untilOk(() => knock(address), signal);
  // Without retries: the loop here tries again, and stops when it is told to.
  const connection = Connection.lazy({ address, interceptors: [] });
  try {
    await untilOk(() => setRetention(connection, namespace), signal);
  } finally {
    await connection.close();
  }
}

async function untilOk(attempt: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await attempt();
    } catch {
      await delay(pauseMs, undefined, { signal });
    }
  }
}

/** The CLI has no option for it; the answer also proves that the namespace is there. */
async function setRetention(connection: Connection, namespace: string): Promise<void> {
  await connection.withDeadline(Date.now() + requestTimeoutMs, () =>
    connection.workflowService.updateNamespace({
      namespace,
      config: { workflowExecutionRetentionTtl: msToTs(retention) },
    }),
  );
}
