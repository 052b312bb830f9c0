import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { defineHook } from '../../src/agents/define-hook.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';
import { resultsOf } from '../support/transcript.ts';

let slowRuns = 0;
const square = defineTool({
  name: 'square',
  description: 'Squares.',
  input: z.object({ n: z.number() }),
  effect: 'none',
  local: true,
  execute: ({ n }) => (n < 0 ? Promise.reject(new Error('too small')) : `${n * n}`),
});
const slow = defineTool({
  name: 'slow',
  description: 'Takes longer than a local tool may.',
  input: z.object({}),
  effect: 'none',
  local: true,
  async execute(_, { run }) {
    slowRuns += 1;
    if (slowRuns === 1) await delay(1_500);
    return `done in iteration ${run.iteration}`;
  },
});

let harness: Harness;
beforeAll(async () => {
  const four = scriptedModel(
    [{ calls: [1, 2, 3, -1].map((n) => ({ name: 'square', input: { n } })) }, { text: 'Squared.' }],
    { name: 'four' },
  );
  const one = scriptedModel([{ calls: [{ name: 'slow' }] }, { text: 'Waited.' }], { name: 'one' });
  const hook = defineHook({
    name: 'hook',
    onToolEnd: ({ call }) => ({ metadata: { [call.id]: 'seen' } }),
  });
  const tools = [square, slow];
  harness = await startHarness({
    agents: {
      four: defineAgent({ model: four, instructions: 'Square.', tools }),
      hooked: defineAgent({ model: four, instructions: 'Square.', tools, hooks: [hook] }),
      one: defineAgent({ model: one, instructions: 'Wait.', tools }),
    },
  });
});
afterAll(() => harness.stop());

describe('a local tool', () => {
  it('runs without an Activity of its own; results stand in call order, failed ones too', async () => {
    const run = await harness.everloop.start('four', { input: 'Go.' });
    expect((await run.result()).stopReason).toBe('completed');
    expect(resultsOf(await run.messages())).toEqual([
      { id: 'call_0_0', text: '1', isError: false },
      { id: 'call_0_1', text: '4', isError: false },
      { id: 'call_0_2', text: '9', isError: false },
      { id: 'call_0_3', text: 'square failed: too small', isError: true },
    ]);
    const { events } = await harness.history(run.id);
    const scheduled = events.flatMap((event) =>
      event.type === 'activity-scheduled' ? [event.activityId] : [],
    );
    expect(scheduled).toEqual(['1/model', '2/model', '2/seal/7']);
    const told = await Array.fromAsync(run.events());
    expect(told.filter(({ type }) => type === 'tool-start').length).toBe(4);
    expect(told.filter(({ type }) => type === 'tool-end').length).toBe(4);
  });

  it('that takes too long is run again as any other tool', async () => {
    const run = await harness.everloop.start('one', { input: 'Go.' });
    expect((await run.result()).output).toBe('Waited.');
    expect(slowRuns).toBe(2);
    expect(resultsOf(await run.messages())).toMatchObject([{ text: 'done in iteration 1' }]);
    const { events } = await harness.history(run.id);
    expect(events).toContainEqual(expect.objectContaining({ activityId: '1/call_0_0' }));
  });

  it('is asked about by hooks like any other', async () => {
    const run = await harness.everloop.start('hooked', { input: 'Go.' });
    await run.result();
    const { state } = await run.snapshot();
    expect(Object.keys(state?.metadata ?? {}).length).toBe(4);
  });

  it('has to be free of effects', () => {
    const options = { name: 'x', description: '', input: z.object({}), execute: () => '' };
    expect(() => defineTool({ ...options, local: true })).toThrow(
      'only a tool with the effect none',
    );
  });
});
