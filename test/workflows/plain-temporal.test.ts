import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { findTemporalCli } from '../../src/engine/find-temporal-cli.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { Gate } from '../support/gate.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';

const gate = new Gate();
const hold = defineTool({
  name: 'hold',
  description: 'Waits.',
  input: z.object({}),
  effect: 'none',
  async execute(_input, { signal }) {
    await gate.passed(signal);
    return 'held';
  },
});
const model = scriptedModel([
  { text: 'Waiting.', calls: [{ name: 'hold' }] },
  { text: 'Noted.' },
  { text: 'Noted again.' },
]);

let harness: Harness;
let cli: string;
beforeAll(async () => {
  harness = await startHarness({
    agents: { holder: defineAgent({ model, instructions: '', tools: [hold] }) },
  });
  cli = (await findTemporalCli({ env: process.env })).path;
});
afterAll(() => harness.stop());

/** Runs `temporal workflow …` and returns what it printed, as JSON. */
async function workflow(...args: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(cli, [
    'workflow',
    ...args,
    '--address',
    inject('temporalAddress'),
    '--output',
    'json',
  ]);
  return stdout.trim() === '' ? undefined : JSON.parse(stdout);
}

async function start(id: string): Promise<void> {
  await workflow(
    'start',
    ...['--type', 'everloopAgentRun', '--task-queue', harness.taskQueue, '--workflow-id', id],
    ...['--input', '{"start":{"agent":"holder","input":"Hold on."}}'],
  );
  await gate.reached(1);
}

describe('the temporal CLI alone', () => {
  it('starts, queries and messages a run, and sees it in lists with its attributes', async () => {
    const id = `cli-${crypto.randomUUID()}`;
    gate.close();
    await start(id);
    expect(await workflow('query', '--workflow-id', id, '--name', 'state')).toMatchObject({
      queryResult: [{ agent: 'holder', status: 'running', iteration: 1 }],
    });
    expect(
      await workflow(
        ...(['update', 'execute', '--workflow-id', id, '--name', 'send'] as const),
        ...['--input', '{"message":"Still there?"}'],
      ),
    ).toMatchObject({ result: { position: 1 } });
    gate.open();
    expect(await workflow('result', '--workflow-id', id)).toMatchObject({
      status: 'COMPLETED',
      result: { output: 'Noted.', stopReason: 'completed', iterations: 2 },
    });
    await expect
      .poll(() =>
        workflow(
          'list',
          '--query',
          `EverloopAgent = 'holder' AND EverloopStatus = 'completed' AND WorkflowId = '${id}'`,
        ),
      )
      .toHaveLength(1);
    const shown = JSON.stringify(await workflow('show', '--workflow-id', id, '--detailed'));
    expect(shown).toContain('userMetadata');
  });

  it('cancels a run, which closes as cancelled with every call answered', async () => {
    const id = `cli-${crypto.randomUUID()}`;
    gate.close();
    await start(id);
    await workflow('cancel', '--workflow-id', id);
    const run = harness.everloop.run(id);
    expect(await run.result()).toMatchObject({ stopReason: 'cancelled' });
    expect((await run.messages()).map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
    ]);
  });

  it('is told what is wrong with an input that is no run', async () => {
    const id = `cli-${crypto.randomUUID()}`;
    await workflow(
      'start',
      ...['--type', 'everloopAgentRun', '--task-queue', harness.taskQueue, '--workflow-id', id],
      ...['--input', '{"start":{"agent":7}}'],
    );
    await expect(harness.everloop.run(id).result()).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/input\.start\.agent: .*; input\.start\.input: /),
    });
  });
});
