/** The tool Activity: large results, media, gates, and tools and stores that misbehave. */
import { ActivityCancellationDetails, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRunTool } from '../../src/activities/run-tool.ts';
import { toolOutputText } from '../../src/chat/text-of.ts';
import type { ToolOutput } from '../../src/chat/tool-output.ts';
import { EverloopError } from '../../src/everloop-error.ts';
import type { ToolRunResult } from '../../src/loop/calls.ts';
import type { LiveEvent } from '../../src/loop/events.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { blobHash } from '../../src/storage/blob-store.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import type { Tool, ToolContext, ToolReturn } from '../../src/tools/define-tool.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { Gate } from '../support/gate.ts';

interface Options {
  readonly tool?: Partial<Tool>;
  readonly execute?: (context: ToolContext) => ToolReturn | Promise<ToolReturn>;
  readonly blobs?: BlobStore;
  /** `null`: the agent has no tool that reads results. */
  readonly reader?: string | null;
  readonly attempt?: number;
  readonly startToCloseTimeoutMs?: number;
  readonly effect?: 'none' | 'idempotent' | 'once';
  readonly maxResultBytes?: number;
  readonly timeoutMs?: number;
}

interface Call {
  readonly environment: MockActivityEnvironment;
  readonly published: LiveEvent[];
  run(): Promise<ToolRunResult>;
  cancel(): void;
  shutDown(): void;
}

function callOf(options: Options): Call {
  const { execute = () => 'done', reader = 'read_result', effect = 'once' } = options;
  const tool: Tool = {
    ...defineTool({
      name: 'work',
      description: '',
      input: z.object({}),
      effect,
      execute: (_, context) => execute(context),
    }),
    ...options.tool,
  };
  const environment = new MockActivityEnvironment(
    {
      activityId: '2/call',
      attempt: options.attempt ?? 1,
      startToCloseTimeoutMs: options.startToCloseTimeoutMs ?? 60_000,
      retryPolicy: { maximumAttempts: tool.maxAttempts },
      workflowExecution: { workflowId: 'run', runId: '0000-run' },
    },
    { logger: new DefaultLogger('ERROR') },
  );
  const published: LiveEvent[] = [];
  const activity = createRunTool({
    agents: new Map([['agent', {}]]),
    readHistory: async function* () {},
    bus: { publish: (event) => published.push(event), subscribe: () => () => {} },
    blobs: options.blobs ?? createMemoryBlobStore(),
    heartbeatIntervalMs: 1_000,
    toolNamed: () => tool,
    readerOf: () => reader ?? undefined,
  });
  const input = {
    agent: 'agent',
    call: { id: 'call', name: 'work', arguments: '{}' },
    idempotencyKey: 'key',
    effect,
    ...(options.maxResultBytes !== undefined && { maxResultBytes: options.maxResultBytes }),
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
  };
  return {
    environment,
    published,
    run: () => environment.run(activity, input),
    cancel: () => environment.cancel(),
    shutDown: () =>
      environment.cancel(
        'WORKER_SHUTDOWN',
        new ActivityCancellationDetails({ workerShutdown: true }),
      ),
  };
}

/** The one part of the message that a call came to. */
async function resultOf(options: Options) {
  const result = await callOf(options).run();
  return partOf(result);
}

function partOf(result: ToolRunResult) {
  const [part] = 'message' in result ? result.message.parts : [];
  if (part?.kind !== 'tool_result') throw new Error(`no result but ${JSON.stringify(result)}`);
  const { output, isError = false } = part.toolResult;
  return { output, isError, metadata: part.metadata, text: toolOutputText(output) };
}

const failure = new EverloopError('blob_store_failed', 'the disk is full');
const failing: BlobStore = { ...createMemoryBlobStore(), put: () => Promise.reject(failure) };
/** A store that never answers. */
const hanging: BlobStore = { ...createMemoryBlobStore(), put: () => new Promise(() => {}) };

describe('a large result', () => {
  it('is kept whole, and the model sees its head, its tail, its size and how to read the rest', async () => {
    const blobs = createMemoryBlobStore();
    const whole = `first\n${'line\n'.repeat(1_000_000)}last`;
    const { text = '', metadata, isError } = await resultOf({ blobs, execute: () => whole });
    const hash = blobHash(Buffer.from(whole));
    expect(isError).toBe(false);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024);
    expect(text).toMatch(/^first\nline\n/);
    expect(text).toMatch(/line\nlast$/);
    expect(text).toContain(
      `of 5000010 bytes left out: read_result with result "${hash}" shows them`,
    );
    expect(metadata).toEqual({ 'everloop/result': { hash, bytes: 5_000_010 } });
    expect(Buffer.from(await blobs.get(hash)).toString()).toBe(whole);
  });

  it('of any texts is in the store exactly, and of no text that fits', async () => {
    const texts = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 600 }), async (given, maxResultBytes) => {
        const blobs = createMemoryBlobStore();
        const content = given.map((text) => ({ kind: 'text' as const, text: text.toWellFormed() }));
        const execute = () => ({ content });
        const whole = content.map(({ text }) => text).join('');
        const { output, metadata } = await resultOf({ blobs, execute, maxResultBytes });
        const bytes = Buffer.byteLength(whole);
        const stored = await Array.fromAsync(blobs.list());
        if (bytes <= maxResultBytes) {
          expect({ output, metadata, stored }).toEqual({
            output: { content },
            metadata: undefined,
            stored: [],
          });
          return;
        }
        const hash = blobHash(Buffer.from(whole));
        expect(metadata).toEqual({ 'everloop/result': { hash, bytes } });
        expect(Buffer.from(await blobs.get(hash)).toString()).toBe(whole);
      }),
      { numRuns: 50 },
    );
  });

  it('of details is kept as JSON text', async () => {
    const blobs = createMemoryBlobStore();
    const details = { rows: Array.from({ length: 20_000 }, (_, row) => ({ row })) };
    const { output, text, metadata } = await resultOf({ blobs, execute: () => details });
    const json = JSON.stringify(details);
    const hash = blobHash(Buffer.from(json));
    expect(metadata).toEqual({ 'everloop/result': { hash, bytes: json.length } });
    expect(text).toMatch(/^\{"rows":\[\{"row":0\}/);
    expect(output.details).toBeUndefined();
    expect(JSON.parse(Buffer.from(await blobs.get(hash)).toString())).toEqual(details);
  });

  it('leaves its details out of history when they are large beside a short text', async () => {
    const blobs = createMemoryBlobStore();
    const details = 'x'.repeat(50_000);
    const content = [{ kind: 'text' as const, text: 'short' }];
    const { output, metadata } = await resultOf({ blobs, execute: () => ({ content, details }) });
    const hash = blobHash(Buffer.from(JSON.stringify(details)));
    expect(output).toEqual({ content });
    expect(metadata).toEqual({ 'everloop/details': { hash, bytes: 50_002 } });
  });

  it('stays in the message up to 1 MiB when the store fails, beyond that it is cut', async () => {
    const whole = 'x'.repeat(1_000_000);
    const kept = await resultOf({ blobs: failing, execute: () => whole });
    expect(kept).toMatchObject({ text: whole, isError: false });
    expect(kept.metadata).toBeUndefined();
    const { text = '', isError } = await resultOf({
      blobs: failing,
      execute: () => 'x'.repeat(2_000_000),
    });
    expect(isError).toBe(false);
    expect(text).toContain('of 2000000 bytes left out: ask for a smaller part');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2 ** 20);
  });

  it('is cut shorter when the store fails and its JSON is too much for history', async () => {
    // Six bytes of JSON each: 1 MiB of them is more than a payload may hold.
    const { text = '', isError } = await resultOf({
      blobs: failing,
      execute: () => '\u0001'.repeat(1_000_000),
    });
    expect(isError).toBe(false);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024);
  });

  it('does not wait for a store that hangs longer than the Activity has time', async () => {
    const whole = 'x'.repeat(100_000);
    const options = { blobs: hanging, execute: () => whole, startToCloseTimeoutMs: 2_050 };
    expect(await resultOf(options)).toMatchObject({ text: whole, isError: false });
  });

  it('is cut, not kept, for an agent that cannot read it', async () => {
    const blobs = createMemoryBlobStore();
    const { text } = await resultOf({ blobs, reader: null, execute: () => 'x'.repeat(100_000) });
    expect(text).toContain('ask for a smaller part');
    expect(await Array.fromAsync(blobs.list())).toEqual([]);
  });

  it('that is an error is cut, not kept', async () => {
    const blobs = createMemoryBlobStore();
    const { text, isError } = await resultOf({
      blobs,
      execute() {
        throw new Error('x'.repeat(100_000));
      },
    });
    expect(isError).toBe(true);
    expect(text).toMatch(/^work failed: x+\n.*ask for a smaller part/);
    expect(await Array.fromAsync(blobs.list())).toEqual([]);
  });
});

const png = (bytes: number, name = 'a.png'): ToolOutput => ({
  content: [
    { kind: 'text', text: 'Look:' },
    {
      kind: 'media',
      media: {
        mime: 'image/png',
        name,
        source: { kind: 'bytes', bytes: Buffer.alloc(bytes, 7).toString('base64') },
      },
    },
  ],
});

describe('an image in a result', () => {
  it('goes into the store when it is large, by its content and type', async () => {
    const puts: unknown[] = [];
    const memory = createMemoryBlobStore();
    const blobs: BlobStore = {
      ...memory,
      put(bytes, options) {
        puts.push(options);
        return memory.put(bytes, options);
      },
    };
    const { output } = await resultOf({ blobs, execute: () => png(5_000_000) });
    const hash = blobHash(Buffer.alloc(5_000_000, 7));
    expect(output.content).toEqual([
      { kind: 'text', text: 'Look:' },
      {
        kind: 'media',
        media: {
          mime: 'image/png',
          name: 'a.png',
          source: { kind: 'blob', hash, size: 5_000_000 },
        },
      },
    ]);
    expect(puts).toEqual([{ type: 'image/png' }]);
    expect(await memory.has(hash)).toBe(true);
  });

  it('stays in the message when it is small, and when the store fails but history takes it', async () => {
    expect((await resultOf({ execute: () => png(6_000) })).output).toEqual(png(6_000));
    const options = { blobs: failing, execute: () => png(1_000_000) };
    expect((await resultOf(options)).output).toEqual(png(1_000_000));
  });

  it('is an error result when the store fails and history cannot take it', async () => {
    const { text, isError } = await resultOf({ blobs: failing, execute: () => png(5_000_000) });
    expect(isError).toBe(true);
    expect(text).toMatch(/^work finished, but its result is too large to keep/);
  });
});

describe('what a tool is given', () => {
  it('tells watchers under its own name, and reads and writes blobs', async () => {
    const blobs = createMemoryBlobStore();
    const call = callOf({
      blobs,
      async execute(context) {
        context.emit('found', { count: 2 });
        context.progress(0.5);
        context.log.info('half of it is done');
        const hash = await context.blobs.put(Buffer.from('kept'));
        return Buffer.from(await context.blobs.get(hash)).toString();
      },
    });
    expect(partOf(await call.run()).text).toBe('kept');
    const where = { runId: 'run', iteration: 2, attempt: 1 };
    expect(call.published).toEqual(
      [
        { ...where, seq: 0, type: 'work.found', data: { callId: 'call', value: { count: 2 } } },
        { ...where, seq: 0, type: 'tool-progress', data: { callId: 'call', value: 0.5 } },
      ].map((event, seq) => ({ ...event, seq })),
    );
  });
});

describe('a tool in a wrapper that misbehaves', () => {
  it.each<[string, Partial<Tool>, RegExp]>([
    [
      'throws at once',
      {
        run() {
          throw new Error('no');
        },
      },
      /^work failed: no$/,
    ],
    ['rejects with nothing', { run: () => Promise.reject() }, /^work failed: /],
    ['hangs', { run: () => new Promise(() => {}) }, /^work timed out after 0.05 seconds/],
  ])('is an error result when that %s', async (_, tool, text) => {
    const result = await resultOf({ tool, timeoutMs: 50 });
    expect(result).toMatchObject({ isError: true, text: expect.stringMatching(text) });
  });

  it.each<[string, unknown]>([
    ['a function', () => 'x'],
    ['a symbol', Symbol('x')],
    ['a map', new Map([['a', 1]])],
    [
      'an object that cannot be read',
      Object.defineProperty({}, 'a', {
        get: () => {
          throw new Error('no');
        },
        enumerable: true,
      }),
    ],
    ['something huge', { content: [{ kind: 'text', text: 'x'.repeat(3_000_000) }] }],
  ])('is some result when that answers with %s', async (_, answer) => {
    // @ts-expect-error: what untyped code may return
    const { output } = await resultOf({ tool: { run: async () => answer } });
    expect(JSON.stringify(output).length).toBeLessThan(40_000);
  });
});

describe('a tool with a gate', () => {
  it('is run once it is let in, its time starting there, and leaves when it is over', async () => {
    const gate = new Gate();
    const said: string[] = [];
    const call = callOf({
      timeoutMs: 50,
      execute: () => {
        said.push('run');
        throw new Error('no');
      },
      tool: {
        maxWaitMs: 10_000,
        async admit(signal) {
          await gate.passed(signal);
          said.push('in');
          return () => {
            said.push('out');
            throw new Error('the door is stuck');
          };
        },
      },
    });
    const running = call.run();
    await gate.reached(1);
    gate.open();
    expect(partOf(await running)).toMatchObject({ isError: true, text: 'work failed: no' });
    expect(said).toEqual(['in', 'run', 'out']);
  });

  it.each(['once', 'idempotent'] as const)(
    'has not started when the run is cancelled while it waits; effect %s',
    async (effect) => {
      const gate = new Gate();
      const call = callOf({ effect, tool: waitingAt(gate) });
      const running = call.run();
      await gate.reached(1);
      call.cancel();
      expect(await running).toEqual({ notStarted: true });
    },
  );

  it('may have started in an attempt before this one', async () => {
    const gate = new Gate();
    const call = callOf({ effect: 'idempotent', attempt: 2, tool: waitingAt(gate) });
    const running = call.run();
    await gate.reached(1);
    call.cancel();
    expect(await running).toEqual({ cancelled: true });
  });

  it('waits elsewhere when its Worker shuts down, or has not started when it gets no other attempt', async () => {
    const gate = new Gate();
    const again = callOf({ effect: 'idempotent', tool: waitingAt(gate) });
    const rejected = expect(again.run()).rejects.toBeInstanceOf(CancelledFailure);
    await gate.reached(1);
    again.shutDown();
    await rejected;
    const other = new Gate();
    const last = callOf({ effect: 'once', tool: waitingAt(other) });
    const running = last.run();
    await other.reached(1);
    last.shutDown();
    expect(await running).toEqual({ notStarted: true });
  });

  it('is an error result when it waits too long, and when its gate is broken', async () => {
    const late = { admit: () => new Promise<never>(() => {}), maxWaitMs: 20 };
    expect(await resultOf({ tool: late })).toMatchObject({
      isError: true,
      text: 'work was not run: it waited too long for its turn. Try again later.',
    });
    const broken = { admit: () => Promise.reject(new Error('no door')) };
    expect(await resultOf({ tool: broken })).toMatchObject({
      isError: true,
      text: 'work was not run: no door. Try again later.',
    });
  });

  it('gives back a place that it gets too late', async () => {
    const left = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<() => void>();
    const tool = { admit: () => opened.promise, maxWaitMs: 10 };
    expect((await resultOf({ tool })).isError).toBe(true);
    opened.resolve(left.resolve);
    await left.promise;
  });
});

function waitingAt(gate: Gate): Partial<Tool> {
  return {
    maxWaitMs: 10_000,
    async admit(signal) {
      await gate.passed(signal);
      return () => {};
    },
  };
}

describe('a Worker that lacks what the record names', () => {
  it('leaves a call that may be tried again to another, and says that another was not made', async () => {
    const lacking = { activityId: '2/call', attempt: 1 };
    const activity = createRunTool({
      agents: new Map(),
      readHistory: async function* () {},
      bus: { publish: () => {}, subscribe: () => () => {} },
      blobs: createMemoryBlobStore(),
      heartbeatIntervalMs: 1_000,
      toolNamed: () => undefined,
      readerOf: () => undefined,
    });
    const input = {
      agent: 'agent',
      call: { id: 'call', name: 'work', arguments: '{}' },
      idempotencyKey: 'key',
    };
    const run = (maximumAttempts: number) =>
      new MockActivityEnvironment({
        ...lacking,
        retryPolicy: { maximumAttempts },
        workflowExecution: { workflowId: 'run', runId: '0000-run' },
      }).run(activity, input);
    await expect(run(5)).rejects.toMatchObject({ type: 'everloop.unknown_agent' });
    expect(await run(1)).toEqual({ notStarted: true });
  });
});
