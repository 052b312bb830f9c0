/** Budgets of real runs: they stop before the call that would cross, and tell what they cost. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Request } from '../../src/chat/request.ts';
import { explain } from '../../src/client/explain.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';
import { resultTexts } from '../support/transcript.ts';

const usage = { inputTokens: 1_000, outputTokens: 100 };
const asked: string[] = [];

/** A model that calls tools for ever, with the same usage each time. */
function tireless(name: string, calls = 1) {
  return scriptedModel(
    ({ messages }: Request) => {
      asked.push(name);
      return {
        calls: Array.from({ length: calls }, (_, index) => ({
          id: `c${messages.length}-${index}`,
          name: 'echo',
          input: { text: 'again' },
        })),
        usage,
      };
    },
    { name },
  );
}

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  effect: 'none',
  execute: ({ text }) => text,
});

function tirelessAgent(name: string, calls = 1) {
  return {
    model: tireless(name, calls),
    instructions: 'Go on.',
    tools: [echo],
    options: { maxOutputTokens: 200 },
    maxIterations: 20,
  };
}

const agents = {
  counted: defineAgent({ ...tirelessAgent('counted'), budget: { tokens: 5_000 } }),
  priced: defineAgent({ ...tirelessAgent('priced'), budget: { usd: 0.015 } }),
  unpriced: defineAgent({ ...tirelessAgent('unpriced'), budget: { usd: 1 } }),
  patient: defineAgent({
    ...tirelessAgent('patient'),
    budget: { tokens: 5_000 },
    onLimit: { waitFor: '1 hour' },
    maxIterations: 6,
  }),
  hasty: defineAgent({
    ...tirelessAgent('hasty'),
    budget: { tokens: 5_000 },
    onLimit: { waitFor: '300 ms' },
  }),
  free: defineAgent(tirelessAgent('free')),
  timed: defineAgent({ ...tirelessAgent('timed'), budget: { wallTime: 1 } }),
  caller: defineAgent({
    ...tirelessAgent('caller', 3),
    maxIterations: 2,
    budget: { toolCalls: 4 },
  }),
  finisher: defineAgent({
    ...tirelessAgent('finisher'),
    maxIterations: 2,
    onMaxIterations: 'finish',
    budget: { tokens: 3_400 },
  }),
};
const prices = { priced: { input: 2, output: 10 }, finisher: { input: 1, output: 1 } };

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ agents, prices });
});
afterAll(() => harness.stop());

async function run(agent: string, options: { budget?: { usd?: number; tokens?: number } } = {}) {
  const handle: RunHandle = await harness.everloop.start(agent, { input: 'Go.', ...options });
  return { handle, result: await handle.result() };
}

function timesAsked(name: string): number {
  return asked.filter((each) => each === name).length;
}

describe('a run with a budget', () => {
  it('stops before the call that would cross its tokens', async () => {
    const { handle, result } = await run('counted');
    expect(result.stopReason).toBe('budget');
    expect(result.ended).toMatch(
      /budget of 5,000 tokens: 4,400 tokens spent, and the next model call may take 1,[23]\d\d tokens/,
    );
    const spent = result.usage.inputTokens + result.usage.outputTokens;
    expect(spent).toBeLessThanOrEqual(5_000);
    expect(spent).toBe(1_100 * timesAsked('counted'));
    expect(result.budget).toEqual([{ limit: 'tokens', allowed: 5_000, spent }]);
    expect(result.costUsd).toBeUndefined();
    const { state, budget } = await handle.snapshot();
    expect(state?.pendingToolCalls).toEqual([]);
    expect(budget).toEqual(result.budget);
  });

  it('stops before the call that would cross its dollars, warns once, and tells its cost everywhere', async () => {
    const { handle, result } = await run('priced');
    expect(result.stopReason).toBe('budget');
    const cost = (timesAsked('priced') * (1_000 * 2 + 100 * 10)) / 1_000_000;
    expect(result.costUsd).toBeCloseTo(cost, 9);
    expect(cost).toBeLessThanOrEqual(0.015);
    expect(cost).toBeGreaterThan(0.008);
    const events = await Array.fromAsync(handle.events());
    const warnings = events.filter(({ type }) => type === 'budget-warning');
    expect(warnings.map(({ data }) => data)).toEqual([
      { limit: 'usd', allowed: 0.015, spent: 0.012 },
    ]);
    expect(events.at(-1)).toMatchObject({
      type: 'run-end',
      data: { stopReason: 'budget', costUsd: result.costUsd },
    });
    const description = await harness.client.workflow.getHandle(handle.id).describe();
    expect(description.memo?.['everloop']).toMatchObject({
      costUsd: result.costUsd,
      budgetUse: 0.8,
    });
  });

  it('takes the limits of its start in place of those of its agent', async () => {
    const { result } = await run('counted', { budget: { tokens: 1_250 } });
    expect(result.stopReason).toBe('budget');
    expect(result.iterations).toBe(1);
    expect(result.budget).toEqual([{ limit: 'tokens', allowed: 1_250, spent: 1_100 }]);
  });

  it('makes no call at all when the first one may be too large', async () => {
    const before = timesAsked('free');
    const { result } = await run('free', { budget: { tokens: 100 } });
    expect(result).toMatchObject({ stopReason: 'budget', iterations: 0 });
    expect(result.ended).toMatch(/0 tokens spent, and the next model call may take \d{3} tokens/);
    expect(timesAsked('free')).toBe(before);
  });

  it('stops when its time is over', async () => {
    const { result } = await run('timed');
    expect(result.stopReason).toBe('budget');
    expect(result.ended).toMatch(/budget of 1 ms: /);
  });

  it('answers the tool calls beyond its limit with an error, and lets the model go on', async () => {
    const { handle, result } = await run('caller');
    expect(result.stopReason).toBe('max_iterations');
    const texts = resultTexts(await handle.messages());
    expect(texts.filter((text) => text === 'again')).toHaveLength(4);
    expect(texts.filter((text) => /^not executed: echo: .*budget/.test(text))).toHaveLength(2);
  });

  it('makes no last call for an answer that it has no room for', async () => {
    const { result } = await run('finisher');
    expect(result).toMatchObject({ stopReason: 'max_iterations', iterations: 2 });
    expect(timesAsked('finisher')).toBe(2);
  });
});

describe('a budget in dollars', () => {
  it.each([
    ['of the agent', 'unpriced', {}],
    ['of the start', 'free', { budget: { usd: 1 } }],
  ])(
    '%s is refused for a model without a price, before it is asked',
    async (_title, agent, options) => {
      const before = timesAsked(agent);
      const { result } = await run(agent, options);
      expect(result.stopReason).toBe('error');
      expect(result.ended).toMatch(/no price is known of/);
      expect(result.ended).toContain(`prices: { "${agent}": { input: 1, output: 4 } }`);
      expect(timesAsked(agent)).toBe(before);
    },
  );
});

describe('limits that a run cannot have', () => {
  it.each([
    [{ usd: 1 }, 'no price is known'],
    [{ tokens: -5 }, 'budget.tokens'],
    [{ tokens: 1, hope: 2 }, 'hope'],
  ])('%j are refused before a run is taken back', async (budget, says) => {
    const run = await harness.everloop.start('free', { input: 'Go.', maxIterations: 1 });
    await run.result();
    const { temporalRunId } = await run.snapshot();
    await expect(run.rewind({ toIteration: 0, budget })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(says),
    });
    expect((await run.snapshot()).temporalRunId).toBe(temporalRunId);
  });
});

describe('a run that stopped at its budget before its first call', () => {
  it('begins when it is tried again with more', async () => {
    const run = await harness.everloop.start('free', {
      input: 'Go.',
      budget: { tokens: 10 },
      maxIterations: 2,
    });
    expect(await run.result()).toMatchObject({ stopReason: 'budget', iterations: 0 });
    await expect(run.retry()).rejects.toMatchObject({ code: 'rejected' });
    await run.retry({ budget: { tokens: 1_000_000 } });
    expect(await run.result()).toMatchObject({ stopReason: 'max_iterations', iterations: 2 });
  });
});

describe('a run that waits at its budget', () => {
  async function expectReplay(run: RunHandle): Promise<void> {
    const verdict = await run.replay();
    expect(verdict.ok ? 'replays' : verdict.problem).toBe('replays');
  }

  it('goes on when it is given more, and says meanwhile what it waits for', async () => {
    const run = await harness.everloop.start('patient', { input: 'Go.' });
    const status = async () => (await run.snapshot()).status;
    await expect.poll(status, { timeout: 10_000 }).toBe('waiting:budget');
    const snapshot = await run.snapshot();
    expect(explain(snapshot).join('\n')).toContain(`everloop extend-budget ${run.id}`);
    const waited = snapshot.state?.iteration ?? 0;
    await expect(run.extendBudget({ usd: 1 })).rejects.toMatchObject({ code: 'rejected' });
    await expect(run.extendBudget({ tokens: -1 })).rejects.toMatchObject({ code: 'rejected' });
    await run.extendBudget({ tokens: 1 });
    expect(await status()).toBe('waiting:budget');
    await run.extendBudget({ tokens: 1_000_000 });
    const result = await run.result();
    expect(result.stopReason).toBe('max_iterations');
    expect(result.iterations).toBeGreaterThan(waited);
    const events = await Array.fromAsync(run.events());
    const told = events.filter(({ type }) => type === 'budget-wait' || type === 'budget-extended');
    expect(told.map(({ type, data }) => [type, data])).toEqual([
      ['budget-wait', { deadline: snapshot.state?.budgetWait?.deadline }],
      ['budget-extended', { tokens: 1 }],
      ['budget-extended', { tokens: 1_000_000 }],
    ]);
    await expectReplay(run);
  });

  it('stops with its budget when nobody gives it more in time', async () => {
    const run = await harness.everloop.start('hasty', { input: 'Go.' });
    expect((await run.result()).stopReason).toBe('budget');
    await expectReplay(run);
  });

  it('can be cancelled', async () => {
    const run = await harness.everloop.start('patient', { input: 'Go.' });
    const status = async () => (await run.snapshot()).status;
    await expect.poll(status, { timeout: 10_000 }).toBe('waiting:budget');
    await run.cancel();
    expect((await run.result()).stopReason).toBe('cancelled');
    await expectReplay(run);
  });
});
