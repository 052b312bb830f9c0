/** The ports of this machine: which are free, which are taken, which are listened on. */
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { EverloopError } from '../everloop-error.ts';

/**
 * Makes sure that nothing listens on the port.
 *
 * @throws EverloopError (`engine_failed`) when something does, or the port may not be used.
 */
export async function checkPort(host: string, port: number): Promise<void> {
  try {
    await listenOnce(host, port);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    throw new EverloopError(
      'engine_failed',
      code === 'EADDRINUSE'
        ? `port ${port} on ${host} is in use`
        : `port ${port} on ${host} cannot be used: ${error}`,
      { hint: 'stop what listens there, or choose another port', cause: error },
    );
  }
}

/** A port that nothing listens on at the moment. */
export async function freePort(host: string): Promise<number> {
  return await listenOnce(host, 0);
}

/** Resolves when something accepts connections at `host:port`; rejects at once when nothing does. */
export async function knock(address: string): Promise<void> {
  const { hostname, port } = new URL(`tcp://${address}`);
  const socket = createConnection(Number(port), hostname);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('connect', resolve).once('error', reject);
  await promise.finally(() => socket.destroy());
}

async function listenOnce(host: string, port: number): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no TCP port');
  return address.port;
}
