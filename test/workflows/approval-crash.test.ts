import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Everloop } from '../../src/client/everloop.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { connectClient } from '../../src/engine/connect.ts';
import { freePort } from '../../src/engine/ports.ts';
import type { Script } from '../../src/models/scripted.ts';
import { assertReplays } from '../../src/testing/assert-replays.ts';
import type { OpenAiChatServer } from '../../src/testing/openai-chat/openai-chat-server.ts';
import { startOpenAiChatServer } from '../../src/testing/openai-chat/openai-chat-server.ts';
import { startServer } from '../engine/started-server.ts';
import { sharedBundle } from '../support/harness.ts';
import { resultTexts } from '../support/transcript.ts';
import { WorkerProcess } from '../support/worker-process.ts';

const count = 20;

/** Twenty calls that need approval, then the end. */
const script: Script = ({ messages }) => {
  if (messages.some(({ role }) => role === 'tool')) return { text: 'Done.' };
  const calls = Array.from({ length: count }, (_, n) => ({
    name: 'guarded',
    input: { text: `n${n}` },
  }));
  return { text: 'All at once.', calls };
};

let folder: string;
let ledger: string;
let model: OpenAiChatServer;
const workers: WorkerProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'everloop-approvals-'));
  ledger = join(folder, 'ledger');
  model = await startOpenAiChatServer({ script });
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.kill()));
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

async function startWorker(address: string, taskQueue: string): Promise<WorkerProcess> {
  const { codePath } = sharedBundle();
  const worker = await WorkerProcess.start([address, taskQueue, model.url, ledger, codePath]);
  workers.push(worker);
  return worker;
}

async function pendingIds(run: RunHandle): Promise<readonly string[]> {
  const { state } = await run.snapshot();
  return (state?.pendingToolCalls ?? []).flatMap(({ call, status }) =>
    status === 'awaiting' ? [call.id] : [],
  );
}

describe('twenty calls that await approval', () => {
  it('outlive the Worker and the server, are decided on then, and each is run once', async () => {
    const databaseFile = join(folder, 'temporal.db');
    const port = await freePort('127.0.0.1');
    const first = await startServer({ databaseFile, port });
    const taskQueue = `approvals-${crypto.randomUUID()}`;
    const { client, connection } = await connectClient({
      address: first.address,
      namespace: 'default',
    });
    const everloop = Everloop.from(client, { taskQueue });
    const doomed = await startWorker(first.address, taskQueue);
    const run = await everloop.start('worker', { input: 'Go.' });
    await expect.poll(() => pendingIds(run), { timeout: 30_000 }).toHaveLength(count);
    const ids = await pendingIds(run);
    await run.decide(ids[0] ?? '', { decision: 'allow' });
    await doomed.kill();
    // Nobody is there to take it: it is kept by the server.
    await client.workflow.getHandle(run.id).signal('decide', { callId: ids[1], decision: 'deny' });
    first.kill();
    await first.exited;
    await startServer({ databaseFile, port });
    await startWorker(first.address, taskQueue);
    await expect.poll(() => pendingIds(run), { timeout: 30_000 }).toHaveLength(count - 2);
    for (const id of ids.slice(2)) await run.decide(id, { decision: 'allow' });
    expect((await run.result()).stopReason).toBe('completed');
    const texts = resultTexts(await run.messages());
    expect(texts[1]).toBe('denied by user');
    const lines = (await readFile(ledger, 'utf8')).split('\n').filter((line) => line !== '');
    const keys = lines.map((line) => line.split(' ')[2]);
    expect(new Set(keys).size).toBe(keys.length);
    expect(texts.slice(2)).toEqual(
      Array.from({ length: count - 2 }, (_, n) => `guarded: n${n + 2}`),
    );
    await assertReplays(client, run.id, { bundle: sharedBundle() });
    await connection.close();
  }, 120_000);
});
