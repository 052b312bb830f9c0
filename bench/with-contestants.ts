/** Opens a server with both sides on it for the time of a measurement. */
import type { Contestants } from './contestants.ts';
import { startContestants } from './contestants.ts';
import type { ServerKind } from './servers.ts';
import { startServer } from './servers.ts';
import type { Workload } from './workload.ts';

/** Runs `measure` between a server of that kind and its end. */
export async function withContestants<T>(
  kind: ServerKind,
  workload: Workload,
  measure: (contestants: Contestants) => Promise<T>,
): Promise<T> {
  const server = await startServer(kind);
  try {
    const contestants = await startContestants(server.address, workload);
    try {
      return await measure(contestants);
    } finally {
      await contestants.stop();
    }
  } finally {
    await server.stop();
  }
}
