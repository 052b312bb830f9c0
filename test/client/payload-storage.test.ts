/** What is too large for the server, sent by a client that knows no limits: runs take it, and every reader finds it. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { textOf } from '../../src/chat/text-of.ts';
import { Everloop } from '../../src/client/everloop.ts';
import { connectClient } from '../../src/engine/connect.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { fromHistoryFile, toHistoryFile } from '../../src/replay/recorded-run.ts';
import { replayRun } from '../../src/replay/replay-run.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import { withPayloadStorage } from '../../src/storage/payload-storage.ts';
import { startTestHarness } from '../../src/testing/test-harness.ts';
import { sharedBundle } from '../support/harness.ts';

const blobs = createMemoryBlobStore();
const agents = {
  reader: defineAgent({
    model: scriptedModel(({ messages }) => {
      const said = messages
        .filter(({ role }) => role === 'user')
        .map((each) => textOf(each).length);
      return { text: `I have read ${said.join(' and ')}.` };
    }),
    instructions: '',
  }),
};
let harness: Awaited<ReturnType<typeof startTestHarness<typeof agents>>>;

beforeAll(async () => {
  const engine = { address: inject('temporalAddress') };
  const worker = { workflowBundle: sharedBundle() };
  harness = await startTestHarness({ agents, blobs, engine, worker });
});
afterAll(() => harness.stop());

const huge = 'a very long story '.repeat(200_000);

async function startHuge(input: string): Promise<string> {
  const workflowId = crypto.randomUUID();
  await harness.client.workflow.start('everloopAgentRun', {
    workflowId,
    taskQueue: harness.taskQueue,
    args: [{ start: { agent: 'reader', input } }],
  });
  return workflowId;
}

describe('an input of 3.6 MB', () => {
  it('is read by the run, and by whoever looks at it', async () => {
    const run = harness.everloop.run(await startHuge(huge));
    expect(await run.result()).toMatchObject({ output: `I have read ${huge.length}.` });
    const [first] = await run.messages();
    expect(first && textOf(first)).toBe(huge);
    const { historySize = 0 } = await harness.client.workflow.getHandle(run.id).describe();
    expect(historySize).toBeLessThan(20_000);
    expect(await run.replay({ bundle: sharedBundle() })).toMatchObject({ ok: true });
  });

  it('is found by a replay of its file that has the blob store, and missed by one that has not', async () => {
    const run = harness.everloop.run(await startHuge(huge));
    await run.result();
    const file = fromHistoryFile(toHistoryFile(await run.recorded()), 'run.json');
    const bundle = sharedBundle();
    const dataConverter = withPayloadStorage(undefined, blobs);
    expect(await replayRun(file, { bundle, dataConverter })).toMatchObject({ ok: true });
    expect(await replayRun(file, { bundle })).toMatchObject({ ok: false });
  });

  it('is not known to a client without the blob store, which says so', async () => {
    const run = harness.everloop.run(await startHuge(huge));
    await run.result();
    const { client, connection } = await connectClient({
      address: harness.address,
      namespace: 'default',
    });
    await expect(Everloop.from(client).run(run.id).messages()).rejects.toMatchObject({
      code: 'configuration',
      hint: expect.stringContaining('blob store'),
    });
    await connection.close();
  });

  it('is a Signal, too', async () => {
    const id = await startHuge('Begin.');
    const handle = harness.client.workflow.getHandle(id);
    // The run may have ended before it comes; then nobody has lost anything.
    await handle.signal('send', { id: 'late', message: huge }).catch(() => undefined);
    const run = harness.everloop.run(id);
    const { output, undelivered } = await run.result();
    expect(['I have read 6.', `I have read 6 and ${huge.length}.`]).toContain(output);
    expect(undelivered.length).toBeLessThan(2);
    expect(await run.replay({ bundle: sharedBundle() })).toMatchObject({ ok: true });
  });
});

describe('what the limits allow', () => {
  it('never comes into the store on its way', async () => {
    const before = new Set((await Array.fromAsync(blobs.list())).map(({ hash }) => hash));
    const large = 'x'.repeat(1_790_000);
    const run = await harness.everloop.start('reader', { input: large });
    await run.result();
    const made = (await Array.fromAsync(blobs.list())).filter(({ hash }) => !before.has(hash));
    // The transcript: its list, and its only segment.
    expect(made).toHaveLength(2);
  });
});
