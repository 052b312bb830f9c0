import { AssertionError } from 'node:assert';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { bundleWorkflows } from '../../src/engine/workflow-bundle.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { historyBytesPerIteration } from '../../src/testing/history-bytes.ts';
import { startTestEngine } from '../../src/testing/test-engine.ts';
import { startTestHarness } from '../../src/testing/test-harness.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { sharedBundle } from '../support/harness.ts';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  effect: 'none',
  execute: ({ text }) => text,
});
const model = scriptedModel(({ messages }) => {
  const n = messages.filter((message) => message.role === 'assistant').length;
  return n < 11
    ? { calls: [{ name: 'echo', input: { text: 'x'.repeat(500) } }] }
    : { text: 'Done.' };
});
const agents = { echoer: defineAgent({ model, instructions: 'Echo.', tools: [echo] }) };
const engine = { address: inject('temporalAddress') };
const worker = { workflowBundle: sharedBundle() };

describe('startTestHarness', () => {
  it('runs an agent to its end and replays the run when it stops', async () => {
    const harness = await startTestHarness({ agents, engine, worker });
    const { run, result, messages } = await harness.run('echoer', 'Go.');
    expect(result).toMatchObject({ stopReason: 'completed', iterations: 12, output: 'Done.' });
    expect(messages).toHaveLength(24);
    const limited = await harness.run('echoer', { input: 'Go.', maxIterations: 1 });
    expect(limited.result.stopReason).toBe('max_iterations');
    expect(await run.messages()).toEqual(messages);
    await harness.stop();
    await expect(run.snapshot()).rejects.toThrow();
  });

  it('fails when it stops if the code has changed so that a run does not replay', async () => {
    const changing = { workflowBundle: sharedBundle() };
    const harness = await startTestHarness({ agents, engine, worker: changing });
    await harness.run('echoer', { input: 'Go.', maxIterations: 2 });
    const throwing = fileURLToPath(new URL('../replay/throwing-workflow.ts', import.meta.url));
    Object.assign(changing, { workflowBundle: await bundleWorkflows(throwing) });
    await expect(harness.stop()).rejects.toThrow(AssertionError);
  });

  it('starts an engine of its own that is gone afterwards', async () => {
    const own = await startTestEngine();
    const harness = await startTestHarness({ agents, engine: own, worker });
    const { result } = await harness.run('echoer', { input: 'Go.', maxIterations: 1 });
    expect(result.iterations).toBe(1);
    await harness.stop();
    await own.stop();
    await expect(startTestHarness({ agents, engine: own, worker })).rejects.toMatchObject({
      code: 'engine_unreachable',
    });
  });
});

describe('historyBytesPerIteration', () => {
  it('gives the bytes of each iteration, which do not grow with the run', async () => {
    const harness = await startTestHarness({ agents, engine, worker });
    const { run } = await harness.run('echoer', 'Go.');
    const bytes = await historyBytesPerIteration(run);
    expect(bytes).toHaveLength(12);
    const [, second = 0] = bytes;
    for (const each of bytes.slice(1, -1)) expect(Math.abs(each - second)).toBeLessThan(100);
    // A result and its call are in it, and nothing that was there before.
    expect(second).toBeGreaterThan(1_000);
    expect(second).toBeLessThan(4_000);
    // The last iteration has no tool call.
    expect(bytes.at(-1)).toBeLessThan(second);
    await harness.stop();
  });
});
