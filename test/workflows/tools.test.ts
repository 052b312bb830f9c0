/** Tools in whole runs: large results and images, gates and wrappers shared by runs, a blob store that fails. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { limit } from '../../src/abilities/limit/limit.ts';
import { safeTool } from '../../src/abilities/safe-tool/safe-tool.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { mediaPart, textPart } from '../../src/chat/create-part.ts';
import { languageModel } from '../../src/chat/language-model.ts';
import type { Message } from '../../src/chat/message.ts';
import type { Request } from '../../src/chat/request.ts';
import { toolOutputText } from '../../src/chat/text-of.ts';
import { Everloop } from '../../src/client/everloop.ts';
import { EverloopError } from '../../src/everloop-error.ts';
import type { ScriptedAnswer } from '../../src/models/scripted.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { blobMissing } from '../../src/storage/blob-store.ts';
import { createFileBlobStore } from '../../src/storage/file-blob-store.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import { startOpenAiChatServer } from '../../src/testing/openai-chat/openai-chat-server.ts';
import type { ProviderServer } from '../../src/testing/provider-server/provider-server.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { Gate } from '../support/gate.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';
import { resultTexts } from '../support/transcript.ts';

const sunset = Buffer.alloc(5_000_000, 'sunset').toString('base64');
const portrait = Buffer.alloc(5_000_000, 'portrait').toString('base64');
const report = `The report.\n${'Nothing new.\n'.repeat(400_000)}The end.`;

const gate = new Gate();

function camera(name: string, bytes: string) {
  return defineTool({
    name,
    description: 'Takes a photo of five megabytes.',
    input: z.object({}),
    effect: 'none',
    execute: () => ({
      content: [{ kind: 'media', media: { mime: 'image/png', source: { kind: 'bytes', bytes } } }],
    }),
  });
}

const tools = [
  defineTool({
    name: 'report',
    description: 'Writes a report of five megabytes.',
    input: z.object({}),
    effect: 'none',
    execute: () => report,
  }),
  camera('photo', sunset),
  camera('portrait', portrait),
  defineTool({
    name: 'wait',
    description: 'Waits until it is let go.',
    input: z.object({}),
    async execute(_, { signal }) {
      await gate.passed(signal);
      return 'waited';
    },
  }),
  defineTool({
    name: 'broken',
    description: 'Throws.',
    input: z.object({ text: z.string() }),
    execute() {
      throw new Error('the disk is on fire');
    },
  }),
];

/** Texts of the results so far. */
function resultsIn({ messages }: Request): readonly string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.kind === 'tool_result' ? [toolOutputText(part.toolResult.output) ?? ''] : [],
    ),
  );
}

/** Calls the tools that the user names, then reads what was too large to be shown. */
function answer(request: Request): ScriptedAnswer {
  const results = resultsIn(request);
  const [user] = request.messages.filter(({ role }) => role === 'user');
  const [first] = user?.parts ?? [];
  const asked = first?.kind === 'text' ? first.text.split(' ') : [];
  if (results.length === 0 && asked[0] === 'call') {
    return { calls: asked.slice(1).map((name) => ({ name, input: { text: 'now' } })) };
  }
  const kept = /read_result with result "(\w+)"/.exec(results.join('\n'))?.[1];
  if (kept !== undefined && !results.some((text) => text.includes('[lines '))) {
    return { calls: [{ name: 'read_result', input: { result: kept, offset: 400_001 } }] };
  }
  return { text: 'Done.' };
}

/** A store that can be away. */
class MoodyStore implements BlobStore {
  readonly #inner = createMemoryBlobStore();
  forgets = false;
  refuses = false;

  put: BlobStore['put'] = async (bytes, options) => {
    // Transcripts are JSON: they may be kept.
    if (this.refuses && options?.type !== 'application/json') {
      throw new EverloopError('blob_store_failed', 'the disk is full');
    }
    return await this.#inner.put(bytes, options);
  };
  get: BlobStore['get'] = async (hash, options) => {
    if (this.forgets) throw blobMissing(hash);
    return await this.#inner.get(hash, options);
  };
  has: BlobStore['has'] = (hash) => this.#inner.has(hash);
  list: BlobStore['list'] = () => this.#inner.list();
  delete: BlobStore['delete'] = (hash, options) => this.#inner.delete(hash, options);
}

const blobs = new MoodyStore();
const wrapped: string[] = [];
let server: ProviderServer;
let harness: Harness;

function agents() {
  const oneAtATime = limit({ concurrency: 1 });
  let calls = 0;
  const model = 'openai-chat:test';
  return {
    worker: defineAgent({ model, instructions: 'Work.', tools }),
    cutter: defineAgent({ model, instructions: 'Work.', tools, offload: false }),
    limited: defineAgent({ model, instructions: 'Work.', tools, wrapTool: [oneAtATime] }),
    wrapped: defineAgent({
      model: scriptedModel(answer, { name: 'wrapped' }),
      instructions: '',
      tools,
      wrapTool: [
        safeTool(),
        (next) => ({
          ...next,
          run(input, context) {
            calls += 1;
            wrapped.push(`${next.name} ${calls}`);
            return next.run(input, context);
          },
        }),
      ],
      wrapModel: [
        (next) =>
          languageModel({
            name: next.name,
            stream(request, options) {
              wrapped.push('model');
              return next.stream(request, options);
            },
          }),
      ],
    }),
  };
}

beforeAll(async () => {
  server = await startOpenAiChatServer({ script: answer });
  const providers = { 'openai-chat': { apiKey: 'key', baseURL: server.url } };
  harness = await startHarness({ agents: agents(), providers, blobs });
});
afterAll(async () => {
  gate.open();
  await harness.stop();
  await server.close();
});
let before = 0;
beforeEach(() => {
  before = server.calls().length;
  blobs.forgets = false;
  blobs.refuses = false;
});

function bodies(): readonly string[] {
  return server
    .calls()
    .slice(before)
    .map(({ body }) => body);
}

async function historyBytes(runId: string): Promise<number> {
  return JSON.stringify(await harness.history(runId)).length;
}

describe('a result of five megabytes', () => {
  it('stays out of history, and the model reads any part of it', async () => {
    const run = await harness.everloop.start('worker', { input: 'call report' });
    expect(await run.result()).toMatchObject({ stopReason: 'completed', output: 'Done.' });
    const [cut = '', read] = resultTexts(await run.messages());
    expect(cut).toMatch(/^The report\.\nNothing new\.[\s\S]*bytes left out[\s\S]*The end\.$/);
    expect(read).toBe('Nothing new.\nThe end.\n[lines 400001 to 400002 of 400002]');
    expect(await historyBytes(run.id)).toBeLessThan(150_000);
  });

  it('is cut for an agent that says so, which then has no tool to read it', async () => {
    const run = await harness.everloop.start('cutter', { input: 'call report' });
    expect(await run.result()).toMatchObject({ stopReason: 'completed' });
    const [cut] = resultTexts(await run.messages());
    expect(cut).toContain('ask for a smaller part');
    const { tools: offered } = (await run.snapshot()).state?.agent ?? { tools: [] };
    expect(offered.map(({ definition }) => definition.name)).not.toContain('read_result');
  });

  it('that the store does not take is cut at a megabyte, and the run goes on', async () => {
    blobs.refuses = true;
    const run = await harness.everloop.start('worker', { input: 'call report' });
    expect(await run.result()).toMatchObject({ stopReason: 'completed' });
    const [cut = ''] = resultTexts(await run.messages());
    expect(cut).toContain('ask for a smaller part');
    expect(cut.length).toBeGreaterThan(1_000_000);
  });
});

describe('an image of five megabytes', () => {
  it('from a tool stays out of history, and reaches the model', async () => {
    const run = await harness.everloop.start('worker', { input: 'call photo' });
    expect(await run.result()).toMatchObject({ stopReason: 'completed' });
    expect(bodies()[1]).toContain(`data:image/png;base64,${sunset}`);
    expect(await historyBytes(run.id)).toBeLessThan(50_000);
  });

  it('from the user does, too: in the input, in the history, in a message', async () => {
    const image = mediaPart({ mime: 'image/png', source: { kind: 'bytes', bytes: sunset } });
    const input: Message = { role: 'user', parts: [textPart('call wait'), image] };
    const history: Message[] = [
      { role: 'user', parts: [textPart('call nothing'), image] },
      { role: 'assistant', parts: [textPart('I see.')] },
    ];
    const run = await harness.everloop.start('worker', { input });
    await gate.reached(1);
    await run.send({ role: 'user', parts: [image] });
    gate.open();
    expect(await run.result()).toMatchObject({ stopReason: 'completed' });
    gate.close();
    expect(bodies()[1]?.split(sunset)).toHaveLength(3);
    const other = await harness.everloop.start('worker', { input: 'Well?', history });
    expect(await other.result()).toMatchObject({ stopReason: 'completed' });
    expect(bodies().at(-1)).toContain(sunset);
    for (const { id } of [run, other]) expect(await historyBytes(id)).toBeLessThan(50_000);
  });

  it('is refused with the way out where the client knows no blob store', async () => {
    const storeless = Everloop.from(harness.client, { taskQueue: harness.taskQueue });
    const image = mediaPart({ mime: 'image/png', source: { kind: 'bytes', bytes: sunset } });
    const refused = {
      code: 'invalid_input',
      message: expect.stringContaining('is too large: 6.7 MB of at most 1.8 MB'),
      hint: expect.stringContaining('blob store'),
    };
    const input: Message = { role: 'user', parts: [image] };
    await expect(storeless.start('worker', { input })).rejects.toMatchObject(refused);
    await expect(storeless.run('any').send(input)).rejects.toMatchObject(refused);
  });

  it('is no excuse for a text of three megabytes', async () => {
    await expect(
      harness.everloop.start('worker', { input: 'x'.repeat(3_000_000) }),
    ).rejects.toMatchObject({
      code: 'invalid_input',
      hint: expect.stringContaining('put large data into a file'),
    });
  });

  it('that is gone is asked for again, visibly, until it is back', async () => {
    blobs.forgets = true;
    const run = await harness.everloop.start('worker', { input: 'call portrait' });
    await expect
      .poll(async () => (await run.snapshot()).open[0], { timeout: 20_000 })
      .toMatchObject({
        id: '2/model',
        status: 'scheduled',
        lastFailure: expect.stringMatching(/there is no blob .*: it was removed/),
      });
    const { raw } = await harness.client.workflow.getHandle(run.id).describe();
    const [pending] = raw.pendingActivities ?? [];
    expect(pending?.lastFailure?.applicationFailureInfo?.type).toBe('everloop.blob_missing');
    blobs.forgets = false;
    expect(await run.result()).toMatchObject({ stopReason: 'completed' });
    expect(bodies().at(-1)).toContain(portrait);
  });
});

describe('a limit', () => {
  it('holds over runs; a call that is cancelled while it waits was not executed', async () => {
    const first = await harness.everloop.start('limited', { input: 'call wait' });
    await gate.reached(1);
    const second = await harness.everloop.start('limited', { input: 'call wait report' });
    await expect
      .poll(async () => (await second.snapshot()).open.map(({ status }) => status))
      .toEqual(['started', 'started']);
    await second.cancel();
    expect(await second.result()).toMatchObject({ stopReason: 'cancelled' });
    expect(resultTexts(await second.messages())).toEqual([
      'not executed: wait',
      'not executed: report',
    ]);
    expect((await second.snapshot()).state?.toolCalls).toBe(0);
    gate.open();
    expect(await first.result()).toMatchObject({ stopReason: 'completed' });
    gate.close();
    expect(resultTexts(await first.messages())).toEqual(['waited']);
  });
});

describe('wrappers', () => {
  it('share what they close over between runs, and say what a tool threw', async () => {
    for (const input of ['call broken', 'call broken broken']) {
      const run = await harness.everloop.start('wrapped', { input });
      expect(await run.result()).toMatchObject({ stopReason: 'completed' });
      for (const text of resultTexts(await run.messages())) {
        expect(text).toBe(
          'broken failed: attempt 1 with input {"text":"now"}: the disk is on fire',
        );
      }
    }
    expect(wrapped).toEqual([
      'model',
      'broken 1',
      'model',
      'model',
      'broken 2',
      'broken 3',
      'model',
    ]);
  });

  it('that throw when they are made stop the Worker before it starts', async () => {
    const tools = [defineTool({ name: 'a', description: '', input: z.object({}), execute() {} })];
    const wrapTool = [
      () => {
        throw new Error('no licence');
      },
    ];
    const lost = defineAgent({ model: 'openai-chat:test', instructions: '', tools, wrapTool });
    await expect(startHarness({ agents: { lost } })).rejects.toMatchObject({
      code: 'configuration',
      problems: expect.arrayContaining([{ where: 'agents.lost.wrapTool', what: 'no licence' }]),
    });
  });
});

describe('a disk that is full', () => {
  const run = promisify(execFile);
  let folder: string;
  let isMounted = false;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'everloop-full-'));
    if (process.getuid?.() !== 0 || process.platform !== 'linux') return;
    const mount = run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
    isMounted = await mount.then(
      () => true,
      () => false,
    );
  });
  afterAll(async () => {
    if (isMounted) await run('umount', [folder]);
    await rm(folder, { recursive: true, force: true });
  });

  it('costs no result: the model sees it, and the run ends as it would', async ({ skip }) => {
    skip(!isMounted, 'mounting a disk needs root on Linux');
    const large = defineTool({
      name: 'large',
      description: '',
      input: z.object({}),
      execute: () => 'x'.repeat(200_000),
    });
    const talker = defineAgent({
      model: scriptedModel(answer, { name: 'full' }),
      instructions: '',
      tools: [large],
    });
    const full = await startHarness({
      agents: { talker },
      blobs: createFileBlobStore(join(folder, 'blobs')),
    });
    try {
      const started = await full.everloop.start('talker', { input: 'call large' });
      expect(await started.result()).toMatchObject({ stopReason: 'completed', output: 'Done.' });
      expect(resultTexts(await started.messages())).toEqual(['x'.repeat(200_000)]);
    } finally {
      await full.stop();
    }
  });
});
