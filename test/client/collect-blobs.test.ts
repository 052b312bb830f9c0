/** Collecting garbage of a blob store against a real server: what anything still needs stays. */
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { userMessage } from '../../src/chat/create-message.ts';
import { imagePart, textPart } from '../../src/chat/create-part.ts';
import { findGarbage, removeGarbage } from '../../src/client/collect-blobs.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { ConnectedClient } from '../../src/engine/connect.ts';
import { connectClient } from '../../src/engine/connect.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { createFileBlobStore } from '../../src/storage/file-blob-store.ts';
import type { TestEngine } from '../../src/testing/test-engine.ts';
import { startTestEngine } from '../../src/testing/test-engine.ts';
import { startTestHarness } from '../../src/testing/test-harness.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { sharedBundle } from '../support/harness.ts';

/** Large enough to be kept in the store. */
const imageOf = (n: number) => imagePart('image/png', Buffer.alloc(10_000, n).toString('base64'));
const asked = (n: number) => ({ ...userMessage('Look.'), parts: [textPart('Look.'), imageOf(n)] });

const read = defineTool({
  name: 'read',
  description: 'Reads something long.',
  effect: 'none',
  input: z.object({ n: z.int() }),
  execute: ({ n }) => `It says ${n}. `.repeat(20_000),
});
const agents = {
  reader: defineAgent({
    model: scriptedModel(
      ({ messages }) =>
        messages.some(({ role }) => role === 'tool')
          ? { text: 'I have read it.' }
          : { calls: [{ name: 'read', input: { n: 1 } }] },
      { name: 'reader' },
    ),
    instructions: '',
    tools: [read],
  }),
  silent: defineAgent({
    model: scriptedModel(() => ({ text: 'I never end.', stallAfter: 1 }), { name: 'silent' }),
    instructions: '',
  }),
};

let folder: string;
let blobs: BlobStore;
let harness: Awaited<ReturnType<typeof startTestHarness<typeof agents>>>;
let ended: RunHandle;
let open: RunHandle;
/** A server that knows nothing of the runs. */
let other: ConnectedClient;
let otherEngine: TestEngine;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'everloop-garbage-'));
  blobs = createFileBlobStore(folder);
  // A server of its own: what others leave on one is needed, too.
  harness = await startTestHarness({ agents, blobs, worker: { workflowBundle: sharedBundle() } });
  ({ run: ended } = await harness.run('reader', asked(1)));
  open = await harness.everloop.start('silent', { input: asked(2) });
  await untilListed(ended);
  await untilListed(open);
  otherEngine = await startTestEngine();
  other = await connectClient({ address: otherEngine.address, namespace: 'default' });
});
afterAll(async () => {
  await open.cancel();
  await open.result();
  await harness.stop();
  await other.connection.close();
  await otherEngine.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Nothing is said for the server to list what was started a moment ago. */
async function untilListed({ id }: RunHandle): Promise<void> {
  const query = `WorkflowId = '${id}'`;
  await vi.waitUntil(
    async () => (await Array.fromAsync(harness.client.workflow.list({ query }))).length > 0,
    { timeout: 20_000 },
  );
}

/** The store holds nothing but what the runs need, before each test. */
beforeEach(async () => {
  await removeGarbage(blobs, await garbage());
});

async function garbage(minAgeMs = 0) {
  return await findGarbage([harness.client], blobs, { minAgeMs, now: Date.now() + 1, lagMs: 0 });
}

async function kept(): Promise<readonly string[]> {
  return (await Array.fromAsync(blobs.list())).map(({ hash }) => hash).toSorted();
}

async function putOld(text: string): Promise<string> {
  const hash = await blobs.put(Buffer.from(text));
  await utimes(join(folder, hash.slice(0, 2), hash), new Date(0), new Date(0));
  return hash;
}

describe('what goes', () => {
  it('is what nothing names, and nothing else', async () => {
    const before = await kept();
    const useless = [await putOld('useless'), await putOld('useless, too')];
    const found = await garbage();
    expect(found.hashes.toSorted()).toEqual(useless.toSorted());
    expect(found.garbage).toEqual({ count: 2, bytes: 'useless'.length + 'useless, too'.length });
    expect(found.live.count).toBe(before.length);
    expect(await kept()).toHaveLength(before.length + 2);
    expect(await removeGarbage(blobs, found)).toMatchObject({ removed: 2 });
    expect(await kept()).toEqual(before);
  });

  it('leaves every message of a run that has ended, its images and long results included', async () => {
    await removeGarbage(blobs, await garbage());
    const messages = await ended.messages();
    expect(messages).toHaveLength(4);
    const named = JSON.stringify(messages).match(/"[0-9a-f]{64}"/g) ?? [];
    // The image, and the result in the note and in the metadata.
    expect(new Set(named).size).toBe(2);
    for (const hash of named) expect(await blobs.has(JSON.parse(hash))).toBe(true);
    const { transcript } = await ended.result();
    expect(await blobs.has(transcript?.hash ?? '')).toBe(true);
    expect(await kept()).toContain(transcript?.hash);
  });

  it('leaves what an open run was told', async () => {
    const [message] = await open.messages();
    const media = message?.parts.find((part) => part.kind === 'media')?.media;
    const hash = media?.source.kind === 'blob' ? media.source.hash : '';
    expect(await blobs.has(hash)).toBe(true);
  });

  it('leaves what was too large for the server', async () => {
    const workflowId = crypto.randomUUID();
    const input = 'a very long story '.repeat(200_000);
    await harness.client.workflow.start('everloopAgentRun', {
      workflowId,
      taskQueue: harness.taskQueue,
      args: [{ start: { agent: 'silent', input } }],
    });
    const run = harness.everloop.run(workflowId);
    await untilListed(run);
    expect((await garbage()).hashes).toEqual([]);
    expect((await garbage()).live.bytes).toBeGreaterThan(input.length);
    await run.cancel();
    await run.result();
  });

  it('leaves what a Schedule will start a run with', async () => {
    const hash = await putOld('the image of every morning');
    const schedule = await harness.client.schedule.create({
      scheduleId: crypto.randomUUID(),
      spec: { calendars: [{ hour: 6 }] },
      action: {
        type: 'startWorkflow',
        workflowType: 'everloopAgentRun',
        taskQueue: harness.taskQueue,
        args: [{ start: { agent: 'reader', input: `see ${hash}` } }],
      },
      state: { paused: true },
    });
    await expect.poll(async () => Array.fromAsync(harness.client.schedule.list())).toHaveLength(1);
    expect((await garbage()).hashes).toEqual([]);
    await schedule.delete();
    await expect.poll(async () => (await garbage()).hashes).toEqual([hash]);
  });

  it('is everything, asked of a server that knows no run; with another one beside it, nothing', async () => {
    const all = await kept();
    const options = { minAgeMs: 0, now: Date.now() + 1, lagMs: 0 };
    const alone = await findGarbage([other.client], blobs, options);
    expect(alone.hashes.toSorted()).toEqual(all);
    expect(alone.live.count).toBe(0);
    const both = await findGarbage([other.client, harness.client], blobs, options);
    expect(both.hashes).toEqual([]);
  });
});

describe('what a run names that is started meanwhile', () => {
  it('is needed, too', async () => {
    const hash = await putOld('an old image');
    let started: Promise<RunHandle> | undefined;
    const found = await findGarbage([harness.client], blobs, {
      minAgeMs: 0,
      told: () => {
        started ??= harness.everloop.start('reader', { input: `see ${hash}` });
      },
    });
    expect(found.hashes).not.toContain(hash);
    await (await started)?.result();
  });
});

describe('what is young', () => {
  it('stays, and so does what it names', async () => {
    const old = await putOld('an old segment');
    const list = await blobs.put(Buffer.from(JSON.stringify({ segments: [old] })));
    const found = await garbage(60_000);
    expect(found.hashes).toEqual([]);
    expect(found.young.count).toBe(2);
    expect((await garbage()).hashes.toSorted()).toEqual([list, old].toSorted());
  });

  it('is also what was put again after it was found', async () => {
    const hash = await putOld('wanted again');
    const found = await garbage(1_000);
    expect(found.hashes).toEqual([hash]);
    await blobs.put(Buffer.from('wanted again'));
    expect(await removeGarbage(blobs, found)).toMatchObject({ removed: 0 });
    expect(await blobs.has(hash)).toBe(true);
  });
});

describe('where something cannot be read', () => {
  it('nothing is found', async () => {
    await putOld('useless');
    const payloads = [
      { metadata: { encoding: Buffer.from('binary/encrypted') }, data: Buffer.from('???') },
    ];
    await other.client.workflowService.startWorkflowExecution({
      namespace: 'default',
      workflowId: 'secret',
      workflowType: { name: 'somebodyElses' },
      taskQueue: { name: 'nobody' },
      requestId: crypto.randomUUID(),
      input: { payloads },
    });
    const options = { minAgeMs: 0, lagMs: 0 };
    const find = () => findGarbage([harness.client, other.client], blobs, options);
    await expect
      .poll(() => find().then(() => '', String))
      .toContain('a payload of Workflow secret cannot be read');
  });

  it('nothing is found of a damaged transcript, either', async () => {
    const { transcript } = await ended.result();
    const hash = transcript?.hash ?? '';
    const damaged: BlobStore = {
      ...blobs,
      list: () => blobs.list(),
      get: (wanted, options) =>
        wanted === hash ? Promise.reject(new Error('damaged')) : blobs.get(wanted, options),
    };
    await expect(findGarbage([harness.client], damaged, { minAgeMs: 0, lagMs: 0 })).rejects.toThrow(
      'damaged',
    );
  });
});
