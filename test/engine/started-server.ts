/** Embedded servers that live as long as one test. */
import { onTestFinished } from 'vitest';
import type { ConnectedClient } from '../../src/engine/connect.ts';
import { connectClient } from '../../src/engine/connect.ts';
import type { DevServer, StartDevServerOptions } from '../../src/engine/dev-server.ts';
import { startDevServer } from '../../src/engine/dev-server.ts';
import { findTemporalCli } from '../../src/engine/find-temporal-cli.ts';
import { EverloopError } from '../../src/everloop-error.ts';

/** Starts a server with the CLI of this machine. */
export async function startServer(options: Omit<StartDevServerOptions, 'cli'>): Promise<DevServer> {
  const cli = await findTemporalCli({ env: process.env });
  const server = await startDevServer({ cli, ...options });
  onTestFinished(async () => {
    server.kill();
    await server.exited;
  });
  return server;
}

/** Connects a client until the current test has finished. */
export async function connect(address: string, namespace = 'default'): Promise<ConnectedClient> {
  const connected = await connectClient({ address, namespace });
  onTestFinished(() => connected.connection.close());
  return connected;
}

/** The EverloopError that `work` ends with. */
export async function refusal(work: Promise<unknown>): Promise<EverloopError> {
  const error = await work.catch((thrown: unknown) => thrown);
  if (error instanceof EverloopError) return error;
  throw new Error(`no EverloopError but ${String(error)}`);
}
