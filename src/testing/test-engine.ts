/** A Temporal server for tests: the embedded one of `everloop dev`, on a free port and a database of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevServer } from '../engine/dev-server.ts';
import { findTemporalCli } from '../engine/find-temporal-cli.ts';

/** How a test's engine is started. */
export interface TestEngineOptions {
  /** Told what is being waited for, the first time on a machine: the Temporal CLI is fetched. */
  readonly onProgress?: (text: string) => void;
}

/** A Temporal server with Everloop's settings. */
export interface TestEngine {
  /** `host:port` for Temporal clients. */
  readonly address: string;
  readonly namespace: 'default';
  /** Ends the server and removes its database. */
  stop(): Promise<void>;
}

/**
 * Starts a Temporal server; half a second, once its CLI is there. The CLI is found as `everloop dev` finds it:
 * `EVERLOOP_TEMPORAL_CLI`, `temporal` on `PATH`, Everloop's cache, or fetched into that. The server dies with
 * this process, however it ends.
 * @throws ConfigurationError when there is no usable CLI; EverloopError `engine_failed`
 */
export async function startTestEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  const cli = await findTemporalCli({ env: process.env, ...options });
  const folder = await mkdtemp(join(tmpdir(), 'everloop-test-engine-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const databaseFile = join(folder, 'temporal.db');
    const server = await startDevServer({ cli, databaseFile });
    return {
      address: server.address,
      namespace: 'default',
      async stop() {
        await server.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
