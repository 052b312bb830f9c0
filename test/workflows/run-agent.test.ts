import { fileURLToPath } from 'node:url';
import type { Client, Connection } from '@temporalio/client';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure } from '@temporalio/common';
import type { NativeConnection, WorkflowBundleOption } from '@temporalio/worker';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { Everloop } from '../../src/client/everloop.ts';
import { connectClient } from '../../src/engine/connect.ts';
import { connectWorker } from '../../src/engine/connect-worker.ts';
import { installRuntime } from '../../src/engine/runtime.ts';
import { EverloopPlugin } from '../../src/everloop-plugin.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import { assertReplays } from '../../src/testing/assert-replays.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { Gate } from '../support/gate.ts';
import type { ask, askAndFork, askUntilStopped, report } from './own-workflows.ts';
import { stop } from './own-workflows.ts';

installRuntime('ERROR');

const workflowsPath = fileURLToPath(new URL('./own-workflows.ts', import.meta.url));
const gate = new Gate();
const notes: string[] = [];

const double = defineTool({
  name: 'double',
  description: 'Doubles a number.',
  input: z.object({ n: z.number() }),
  effect: 'none',
  execute: ({ n }) => String(n * 2),
});
const wait = defineTool({
  name: 'wait',
  description: 'Waits.',
  input: z.object({}),
  effect: 'none',
  execute: async (_, { signal }) => {
    await gate.passed(signal);
    return 'waited';
  },
});
const agents = {
  clerk: defineAgent({
    model: scriptedModel(
      [
        { calls: [{ name: 'double', input: { n: 21 } }] },
        { text: 'It is 42.' },
        { text: 'Nothing more.' },
      ],
      { name: 'clerk' },
    ),
    instructions: 'You double.',
    tools: [double],
  }),
  waiter: defineAgent({
    model: scriptedModel([{ text: 'One moment.', calls: [{ name: 'wait' }] }, { text: 'Done.' }], {
      name: 'waiter',
    }),
    instructions: 'You wait.',
    tools: [wait],
  }),
  broken: defineAgent({
    model: scriptedModel([], { name: 'broken' }),
    instructions: 'You fail.',
  }),
};

let client: Client;
let connection: Connection;
let native: NativeConnection;
let everloop: Everloop;
let worker: Worker;
let running: Promise<void>;
let workflowBundle: WorkflowBundleOption;
const taskQueue = `own-${crypto.randomUUID()}`;
const blobs = createMemoryBlobStore();
const plugin = new EverloopPlugin({ agents, blobs, profile: 'embedded' });

beforeAll(async () => {
  const address = inject('temporalAddress');
  ({ client, connection } = await connectClient({ address, namespace: 'default' }));
  native = await connectWorker({ address });
  everloop = Everloop.from(client, { taskQueue, blobs });
  workflowBundle = await bundleWorkflowCode({
    workflowsPath,
    plugins: [plugin],
    logger: new DefaultLogger('ERROR'),
  });
  worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowBundle,
    plugins: [plugin],
    activities: { greet: async (name: string) => `Hello ${name}.` },
    sinks: { notes: { note: { fn: (_: unknown, text: string) => void notes.push(text) } } },
    shutdownGraceTime: '1 second',
  });
  running = worker.run();
});
afterEach(() => gate.close());
afterAll(async () => {
  worker.shutdown();
  await running;
  await native.close();
  await connection.close();
});

/** Replays a Workflow of the test's own, and the run that it started. */
async function expectReplays(workflowId: string, runId: string): Promise<void> {
  const history = await client.workflow.getHandle(workflowId).fetchHistory();
  const sinks = { notes: { note: { fn() {} } } };
  await Worker.runReplayHistory({ workflowBundle, plugins: [plugin], sinks }, history, workflowId);
  await assertReplays(client, runId, { bundle: workflowBundle });
}

function ids() {
  const id = crypto.randomUUID();
  return { workflowId: `own-${id}`, runId: `run-${id}` };
}

describe('runAgent', () => {
  it('gives the result of an agent to the Workflow that ran it, and both replay', async () => {
    const { workflowId, runId } = ids();
    const said = await client.workflow.execute<typeof report>('report', {
      workflowId,
      taskQueue,
      args: ['Ada', { input: 'Twice 21?', workflowId: runId }],
    });
    expect(said).toBe('Hello Ada. It is 42.');
    expect(notes).toContain('completed after 2');
    await expectReplays(workflowId, runId);
  });

  it('is followed by a fork of the run, from its result', async () => {
    const { workflowId, runId } = ids();
    const forked = await client.workflow.execute<typeof askAndFork>('askAndFork', {
      workflowId,
      taskQueue,
      args: ['clerk', { input: 'Twice 21?', workflowId: runId }],
    });
    expect(forked).toMatchObject({ stopReason: 'completed', output: 'Nothing more.' });
    await expectReplays(workflowId, runId);
    const query = `EverloopForkedFrom = '${runId}'`;
    const forks = () => Array.fromAsync(Everloop.from(client).list({ query }));
    // Lists lag behind.
    await expect.poll(forks, { timeout: 10_000 }).toHaveLength(1);
    const [fork] = await forks();
    const messages = await Everloop.from(client, { blobs })
      .run(fork?.id ?? '')
      .messages();
    expect(messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it('starts a run that lists show as one that a client has started', async () => {
    const { workflowId, runId } = ids();
    await client.workflow.execute<typeof ask>('ask', {
      workflowId,
      taskQueue,
      args: ['clerk', { input: 'Twice 21?', title: 'A sum', workflowId: runId }],
    });
    const { memo, typedSearchAttributes } = await client.workflow.getHandle(runId).describe();
    expect(memo?.['everloop']).toMatchObject({ agent: 'clerk', title: 'A sum', iterations: 2 });
    const attributes = Object.fromEntries(
      typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]),
    );
    expect(attributes).toMatchObject({
      EverloopAgent: 'clerk',
      EverloopRoot: runId,
      EverloopStatus: 'completed',
    });
    expect(attributes).not.toHaveProperty('EverloopParent');
  });

  it('gives a run an id of its own when none is said', async () => {
    const { workflowId } = ids();
    const handle = await client.workflow.start<typeof ask>('ask', {
      workflowId,
      taskQueue,
      args: ['clerk', { input: 'Twice 21?' }],
    });
    await handle.result();
    const { events } = await handle.fetchHistory();
    const started = events?.flatMap(
      (event) => event.childWorkflowExecutionStartedEventAttributes?.workflowExecution ?? [],
    );
    const runId = started?.[0]?.workflowId ?? '';
    expect(runId).toMatch(/^[0-9a-f-]{36}$/);
    await expectReplays(workflowId, runId);
  });

  it('takes a run that somebody cancelled for a result', async () => {
    const { workflowId, runId } = ids();
    const handle = await client.workflow.start<typeof ask>('ask', {
      workflowId,
      taskQueue,
      args: ['waiter', { input: 'Wait.', workflowId: runId }],
    });
    await gate.reached(1);
    await everloop.run(runId).cancel();
    expect(await handle.result()).toMatchObject({
      stopReason: 'cancelled',
      output: 'One moment.',
      iterations: 1,
      transcript: { messages: 3 },
    });
    await expectReplays(workflowId, runId);
  });

  it('takes a run that ended with an error for a result', async () => {
    const { workflowId, runId } = ids();
    const result = await client.workflow.execute<typeof ask>('ask', {
      workflowId,
      taskQueue,
      args: ['broken', { input: 'Fail.', workflowId: runId }],
    });
    expect(result).toMatchObject({
      stopReason: 'error',
      ended: expect.stringContaining('run out'),
    });
    await expectReplays(workflowId, runId);
  });

  it('asks its run to stop when the caller is cancelled, and waits for it', async () => {
    const { workflowId, runId } = ids();
    const handle = await client.workflow.start<typeof ask>('ask', {
      workflowId,
      taskQueue,
      args: ['waiter', { input: 'Wait.', workflowId: runId }],
    });
    await gate.reached(1);
    await handle.cancel();
    const error = await handle.result().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WorkflowFailedError);
    expect(error).toHaveProperty('cause', expect.any(CancelledFailure));
    expect((await everloop.run(runId).snapshot()).status).toBe('cancelled');
    expect(await everloop.run(runId).result()).toMatchObject({ stopReason: 'cancelled' });
    await expectReplays(workflowId, runId);
  });

  it('stops within the scope that was cancelled, and the caller goes on', async () => {
    const { workflowId, runId } = ids();
    const handle = await client.workflow.start<typeof askUntilStopped>('askUntilStopped', {
      workflowId,
      taskQueue,
      args: ['waiter', { input: 'Wait.', workflowId: runId }],
    });
    await gate.reached(1);
    await handle.signal(stop);
    expect(await handle.result()).toContain('CancelledFailure');
    expect(await everloop.run(runId).result()).toMatchObject({ stopReason: 'cancelled' });
    await expectReplays(workflowId, runId);
  });

  it('asks its run to stop when the caller is terminated', async () => {
    const { workflowId, runId } = ids();
    const handle = await client.workflow.start<typeof ask>('ask', {
      workflowId,
      taskQueue,
      args: ['waiter', { input: 'Wait.', workflowId: runId }],
    });
    await gate.reached(1);
    await handle.terminate();
    expect(await everloop.run(runId).result()).toMatchObject({ stopReason: 'cancelled' });
  });

  it.each([
    ['no input', { input: '' }, /input.start.input: must be text/],
    ['too much input', { input: 'x'.repeat(1_900_000) }, /has 1900\d+ bytes of at most/],
  ])('refuses %s before anything is started', async (_, options, problem) => {
    // More than two megabytes could not even reach the Workflow.
    const { workflowId } = ids();
    const handle = await client.workflow.start<typeof ask>('ask', {
      workflowId,
      taskQueue,
      args: ['clerk', options],
    });
    const error = await handle.result().catch((reason: unknown) => reason);
    const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
    expect(cause).toBeInstanceOf(ApplicationFailure);
    expect(cause).toMatchObject({ type: 'everloop.invalid_input', nonRetryable: true });
    expect(cause?.message).toMatch(problem);
  });

  it('fails the caller when its run was terminated, for that has no result', async () => {
    const { workflowId, runId } = ids();
    const handle = await client.workflow.start<typeof ask>('ask', {
      workflowId,
      taskQueue,
      args: ['waiter', { input: 'Wait.', workflowId: runId }],
    });
    await gate.reached(1);
    await everloop.run(runId).terminate('enough');
    const error = await handle.result().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WorkflowFailedError);
    expect((error as WorkflowFailedError).cause).toHaveProperty(
      'cause',
      expect.any(TerminatedFailure),
    );
  });
});
