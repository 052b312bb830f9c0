import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectClient } from '../../src/engine/connect.ts';
import { connectWorker } from '../../src/engine/connect-worker.ts';
import { freePort } from '../../src/engine/ports.ts';

/** Accepts connections and says nothing. */
async function silentServer(): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
}

describe.each([
  ['a client', (address: string) => connectClient({ address, namespace: 'n', deadlineMs: 300 })],
  ['a Worker', (address: string) => connectWorker({ address, deadlineMs: 300 })],
])('%s', (_, connect) => {
  it.each([
    ['nothing listens', async () => `127.0.0.1:${await freePort('127.0.0.1')}`],
    ['nobody answers', silentServer],
  ])('gets told the address and what to do where %s', async (_case, where) => {
    const address = await where();
    await expect(connect(address)).rejects.toMatchObject({
      code: 'engine_unreachable',
      message: expect.stringContaining(`cannot reach a Temporal server at ${address}: `),
      hint: expect.stringContaining('everloop dev'),
    });
  });
});
