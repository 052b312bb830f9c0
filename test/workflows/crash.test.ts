import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client, Connection } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { Everloop } from '../../src/client/everloop.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { connectClient } from '../../src/engine/connect.ts';
import type { Script } from '../../src/models/scripted.ts';
import { assertReplays } from '../../src/testing/assert-replays.ts';
import type { OpenAiChatServer } from '../../src/testing/openai-chat/openai-chat-server.ts';
import { startOpenAiChatServer } from '../../src/testing/openai-chat/openai-chat-server.ts';
import { hang } from '../support/crash-agents.ts';
import { sharedBundle } from '../support/harness.ts';
import { resultTexts } from '../support/transcript.ts';
import { WorkerProcess } from '../support/worker-process.ts';

/** The user's text names the tool and its argument; four iterations in all. */
const script: Script = (request) => {
  const asked = JSON.stringify(request.messages);
  const answers = request.messages.filter((message) => message.role === 'assistant').length;
  const [, tool = 'look', text = 'x'] = /use (\w+) (\w+)/.exec(asked) ?? [];
  if (answers === 3) return { text: 'Done.' };
  const input = { text: answers === 1 ? text : `step ${answers}` };
  return { text: `Thinking ${answers}.`, calls: [{ name: tool, input }] };
};

let client: Client;
let connection: Connection;
let everloop: Everloop;
let server: OpenAiChatServer;
let folder: string;
let ledger: string;
let stalledCall: number | undefined;
let workerArgs: readonly string[];
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  const address = inject('temporalAddress');
  ({ client, connection } = await connectClient({ address, namespace: 'default' }));
});
afterAll(() => connection.close());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'everloop-crash-'));
  ledger = join(folder, 'ledger');
  stalledCall = undefined;
  server = await startOpenAiChatServer({
    script,
    misbehave: ({ index }) =>
      index === stalledCall ? { kind: 'stall', afterChunks: 2 } : undefined,
  });
  const taskQueue = `crash-${crypto.randomUUID()}`;
  everloop = Everloop.from(client, { taskQueue });
  const { codePath } = sharedBundle();
  workerArgs = [inject('temporalAddress'), taskQueue, server.url, ledger, codePath];
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.kill()));
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function startWorker(): Promise<WorkerProcess> {
  const worker = await WorkerProcess.start(workerArgs);
  workers.push(worker);
  return worker;
}

/** The Worker process that works on the run's open Activity. */
async function workerOf(run: RunHandle): Promise<WorkerProcess> {
  const { pendingActivities } = await client.workflowService.describeWorkflowExecution({
    namespace: 'default',
    execution: { workflowId: run.id },
  });
  const identity = pendingActivities?.[0]?.lastWorkerIdentity ?? '';
  const worker = workers.find(({ pid }) => identity.startsWith(`${pid}@`));
  if (worker === undefined) throw new Error(`no Worker is ${identity}`);
  return worker;
}

async function ledgerLines(): Promise<readonly string[]> {
  const text = await readFile(ledger, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

describe('a killed Worker', () => {
  it('leaves its runs to another, which sends the provider the very bytes that it would have sent', async () => {
    await Promise.all([startWorker(), startWorker()]);
    const undisturbed = await everloop.start('worker', { input: 'Please use look around.' });
    await undisturbed.result();
    const warm = server.calls().map((call) => call.body);
    expect(warm).toHaveLength(4);

    stalledCall = warm.length + 2;
    const run = await everloop.start('worker', { input: 'Please use look around.' });
    await expect
      .poll(() => server.calls()[warm.length + 2]?.deltasSent, { timeout: 20_000 })
      .toBeGreaterThan(0);
    const holder = await workerOf(run);
    await holder.kill();
    expect(await run.result()).toMatchObject({ stopReason: 'completed', output: 'Done.' });

    const bodies = server.calls().slice(warm.length);
    expect(bodies.map((call) => call.body)).toEqual([warm[0], warm[1], warm[2], warm[2], warm[3]]);
    const survivor = workers.find((worker) => worker !== holder);
    expect((await survivor?.counts())?.misses).toBeGreaterThanOrEqual(1);
    expect(await ledgerLines()).toHaveLength(6);
    const told = await Array.fromAsync(run.events());
    const lost = told.filter((event) => event.type === 'attempt-lost');
    expect(lost.map(({ data }) => data)).toMatchObject([{ activityId: '3/model', attempt: 1 }]);
    expect(told).toContainEqual(
      expect.objectContaining({
        type: 'model-end',
        data: expect.objectContaining({ activityId: '3/model', attempts: 2 }),
      }),
    );
    await assertReplays(client, run.id, { bundle: sharedBundle() });
  });

  it('in the middle of a `once` tool leaves its outcome unknown, and the tool is not run again', async () => {
    await startWorker();
    const run = await everloop.start('worker', { input: `Please use pay ${hang}.` });
    await expect.poll(ledgerLines, { timeout: 20_000 }).toHaveLength(2);
    const [worker] = workers;
    await startWorker();
    await worker?.kill();
    expect(await run.result()).toMatchObject({ stopReason: 'completed', iterations: 4 });
    expect(resultTexts(await run.messages())).toEqual([
      'pay: step 0',
      'outcome unknown: pay started, but its result was lost (its Worker stopped answering). It may or may not have taken effect: check before calling it again.',
      'pay: step 2',
    ]);
    expect((await ledgerLines()).map((line) => line.split(' ')[1])).toEqual(['1', '1', '1']);
    await assertReplays(client, run.id, { bundle: sharedBundle() });
  });

  it('in the middle of a `keyed` tool has it run again with the same key', async () => {
    await startWorker();
    const run = await everloop.start('worker', { input: `Please use post ${hang}.` });
    await expect.poll(ledgerLines, { timeout: 20_000 }).toHaveLength(2);
    const [worker] = workers;
    await startWorker();
    await worker?.kill();
    await run.result();
    expect(resultTexts(await run.messages())).toEqual([
      'post: step 0',
      `post: ${hang}`,
      'post: step 2',
    ]);
    const lines = (await ledgerLines()).map((line) => line.split(' '));
    expect(lines.map(([, attempt]) => attempt)).toEqual(['1', '1', '2', '1']);
    expect(lines[1]?.[2]).toBe(lines[2]?.[2]);
    expect(new Set(lines.map(([, , key]) => key)).size).toBe(3);
    await assertReplays(client, run.id, { bundle: sharedBundle() });
  });
});

describe('a Worker that is shut down', () => {
  it.each([
    ['post', [`post: ${hang}`, '1 1 2 1']],
    [
      'pay',
      [
        'outcome unknown: pay started, but its result was lost (its Worker shut down). It may or may not have taken effect: check before calling it again.',
        '1 1 1',
      ],
    ],
  ])('in the middle of `%s` leaves it to its effect', async (tool, [result, attempts]) => {
    const worker = await startWorker();
    const run = await everloop.start('worker', { input: `Please use ${tool} ${hang}.` });
    await expect.poll(ledgerLines, { timeout: 20_000 }).toHaveLength(2);
    await startWorker();
    await worker.shutdown();
    expect(await run.result()).toMatchObject({ stopReason: 'completed', iterations: 4 });
    expect(resultTexts(await run.messages())[1]).toBe(result);
    expect((await ledgerLines()).map((line) => line.split(' ')[1]).join(' ')).toBe(attempts);
    await assertReplays(client, run.id, { bundle: sharedBundle() });
  });

  it('in the middle of an answer has the model asked again, by another', async () => {
    const worker = await startWorker();
    stalledCall = 1;
    const run = await everloop.start('worker', { input: 'Please use look around.' });
    await expect.poll(() => server.calls()[1]?.deltasSent, { timeout: 20_000 }).toBeGreaterThan(0);
    await startWorker();
    await worker.shutdown();
    expect(await run.result()).toMatchObject({ stopReason: 'completed', output: 'Done.' });
    const bodies = server.calls().map((call) => call.body);
    expect(bodies).toHaveLength(5);
    expect(bodies[2]).toBe(bodies[1]);
    await assertReplays(client, run.id, { bundle: sharedBundle() });
  });
});
