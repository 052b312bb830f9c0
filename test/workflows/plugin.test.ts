import { fileURLToPath } from 'node:url';
import type { Client, Connection } from '@temporalio/client';
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { Everloop } from '../../src/client/everloop.ts';
import { defineConfig } from '../../src/config.ts';
import { connectClient } from '../../src/engine/connect.ts';
import { connectWorker } from '../../src/engine/connect-worker.ts';
import { ConfigurationError } from '../../src/everloop-error.ts';
import type { EverloopPluginOptions } from '../../src/everloop-plugin.ts';
import { EverloopPlugin } from '../../src/everloop-plugin.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import { sharedBundle } from '../support/harness.ts';

const workflowsPath = fileURLToPath(new URL('./own-workflows.ts', import.meta.url));
const logger = new DefaultLogger('ERROR');
const agents = {
  clerk: defineAgent({
    model: scriptedModel([{ text: 'It is 42.' }]),
    instructions: 'You double.',
  }),
};
const greet = async (name: string) => `Hello ${name}.`;

function pluginOf(options: Partial<EverloopPluginOptions> = { agents }): EverloopPlugin {
  return new EverloopPlugin({ blobs: createMemoryBlobStore(), profile: 'embedded', ...options });
}

let client: Client;
let connection: Connection;
let native: NativeConnection;

beforeAll(async () => {
  const address = inject('temporalAddress');
  ({ client, connection } = await connectClient({ address, namespace: 'default' }));
  native = await connectWorker({ address });
});
afterAll(async () => {
  await native.close();
  await connection.close();
});

/** Lets a Worker with these options work for the time of `use`. */
async function withWorker<T>(
  options: Omit<WorkerOptions, 'taskQueue'>,
  use: (taskQueue: string) => Promise<T>,
): Promise<T> {
  const taskQueue = `plugin-${crypto.randomUUID()}`;
  const worker = await Worker.create({
    shutdownGraceTime: '1 second',
    ...options,
    taskQueue,
    connection: native,
  });
  return await worker.runUntil(use(taskQueue));
}

async function resultOf(taskQueue: string): Promise<string> {
  const run = await Everloop.from(client, { taskQueue }).start('clerk', { input: 'Twice 21?' });
  return (await run.result()).output;
}

function execute(taskQueue: string, workflow: string, ...args: unknown[]): Promise<unknown> {
  return client.workflow.execute(workflow, { taskQueue, workflowId: crypto.randomUUID(), args });
}

/** The problems that keep a Worker with these options from being made. */
async function problemsOf(options: Omit<WorkerOptions, 'taskQueue'>) {
  const making = Worker.create({ ...options, taskQueue: 'never', connection: native });
  const error = await making.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConfigurationError);
  return error instanceof ConfigurationError ? error.problems : [];
}

describe('EverloopPlugin', () => {
  it('adds the agent run to the Workflows of a Worker that bundles them itself', async () => {
    const notes: string[] = [];
    const note = { fn: (_: unknown, text: string) => void notes.push(text) };
    const options = {
      workflowsPath,
      plugins: [pluginOf()],
      activities: { greet },
      sinks: { notes: { note } },
    };
    await withWorker(options, async (taskQueue) => {
      expect(await resultOf(taskQueue)).toBe('It is 42.');
      const said = await execute(taskQueue, 'report', 'Ada', { input: 'Twice 21?' });
      expect(said).toBe('Hello Ada. It is 42.');
      expect(notes).toEqual(['completed after 1']);
      // The file's default export is Temporal's Workflow for every other name.
      expect(await execute(taskQueue, 'somethingElse')).toBe('whatever');
    });
  });

  it('lets a Worker without Workflows of its own run agents', async () => {
    await withWorker({ plugins: [pluginOf()] }, async (taskQueue) => {
      expect(await resultOf(taskQueue)).toBe('It is 42.');
    });
  });

  it('takes its agents from a configuration', async () => {
    const plugins = [pluginOf({ config: defineConfig({ agents }) })];
    await withWorker({ plugins, workflowBundle: sharedBundle() }, async (taskQueue) => {
      expect(await resultOf(taskQueue)).toBe('It is 42.');
    });
  });

  it('makes the same bundle of the same Workflows each time', async () => {
    const bundle = () => bundleWorkflowCode({ workflowsPath, logger, plugins: [pluginOf()] });
    const { code } = await bundle();
    expect((await bundle()).code).toBe(code);
    expect(
      await problemsOf({ plugins: [pluginOf(), pluginOf()], workflowBundle: { code } }),
    ).toEqual([{ where: 'plugins', what: 'there are two of it: put all agents into one' }]);
  });

  it('says what to do when a bundle lacks the agent run', async () => {
    const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger });
    expect(await problemsOf({ plugins: [pluginOf()], workflowBundle })).toEqual([
      {
        where: 'workflowBundle',
        what: expect.stringMatching(/has no everloopAgentRun: give bundleWorkflowCode the plugin/),
      },
    ]);
  });

  it('names every clash with what the Worker has', async () => {
    const options = {
      plugins: [pluginOf()],
      activities: { greet, everloopCallModel: greet },
      sinks: { transcript: { end: { fn() {} } } },
    };
    expect((await problemsOf(options)).map(({ where }) => where)).toEqual([
      'activities.everloopCallModel',
      'sinks.transcript',
    ]);
  });

  it.each([
    ['no agents', {}, 'one of the two must be given'],
    ['two sets of agents', { agents, config: { agents } }, 'only one may be given'],
  ])('refuses %s', (_, options, what) => {
    expect(() => pluginOf(options)).toThrow(ConfigurationError);
    expect(() => pluginOf(options)).toThrow(what);
  });

  it('chooses the settings that are left open, and no others', async () => {
    const interceptors = { activity: [] };
    const open: Record<string, undefined> = {
      identity: undefined,
      maxHeartbeatThrottleInterval: undefined,
    };
    const configured = await pluginOf().configureWorker({
      taskQueue: 'any',
      workflowsPath,
      interceptors,
      shutdownGraceTime: '3 seconds',
      ...open,
    });
    expect(configured).toMatchObject({
      taskQueue: 'any',
      workflowsPath,
      shutdownGraceTime: '3 seconds',
      maxHeartbeatThrottleInterval: '1 second',
      stickyQueueScheduleToStartTimeout: '1 second',
    });
    expect(configured.interceptors).toBe(interceptors);
    expect(configured).not.toHaveProperty('workflowBundle');
    const cluster = await pluginOf({ agents, profile: 'cluster' }).configureWorker({
      taskQueue: 'any',
    });
    expect(cluster).toMatchObject({ maxHeartbeatThrottleInterval: '5 seconds' });
  });
});
