/** Budgets over random runs: nothing is spent beyond a limit but what nobody could foresee. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundaries } from '../../src/history/state-at.ts';
import { apply, startState } from '../../src/loop/apply.ts';
import { budgetStop, isOverBudget } from '../../src/loop/budget.ts';
import { costOf } from '../../src/loop/budget-cost.ts';
import type { BudgetLimits } from '../../src/loop/budget-limits.ts';
import { reservation } from '../../src/loop/budget-reservation.ts';
import { limitsOf, spentOf } from '../../src/loop/budget-use.ts';
import type { LoopState } from '../../src/loop/loop-state.ts';
import type { Price } from '../../src/loop/price.ts';
import { agentWith, plans } from './plans.ts';
import { simulate } from './simulate.ts';

const numRuns = 1_000;

/** How much of its reservation a call takes: more than 1 is a call that nobody could foresee. */
interface Call {
  readonly promptShare: number;
  readonly outputShare: number;
  readonly cachedShare: number;
  readonly toolCalls: number;
}

const price: fc.Arbitrary<Price> = fc
  .record({
    input: fc.double({ min: 0, max: 20, noNaN: true }),
    output: fc.double({ min: 0, max: 100, noNaN: true }),
    cached: fc.double({ min: 0, max: 1, noNaN: true }),
    above: fc.integer({ min: 1, max: 5_000 }),
  })
  .map(({ input, output, cached, above }) => ({
    input,
    output,
    cacheRead: input * cached,
    longPrompt: { above, input: input * 2, output: output * 1.5, cacheRead: input * cached * 2 },
  }));

const limits: fc.Arbitrary<BudgetLimits> = fc.record(
  {
    iterations: fc.integer({ min: 1, max: 20 }),
    tokens: fc.integer({ min: 1, max: 100_000 }),
    usd: fc.double({ min: 0.000_001, max: 1, noNaN: true }),
    toolCalls: fc.integer({ min: 1, max: 10 }),
  },
  { requiredKeys: [] },
);

function calls(highestShare: number): fc.Arbitrary<readonly Call[]> {
  const share = fc.double({ min: 0, max: highestShare, noNaN: true });
  return fc.array(
    fc.record({
      promptShare: share,
      outputShare: share,
      cachedShare: fc.double({ min: 0, max: 1, noNaN: true }),
      toolCalls: fc.nat(4),
    }),
    { minLength: 1, maxLength: 12 },
  );
}

function begun(budget: BudgetLimits, ofModel: Price, maxOutputTokens: number): LoopState {
  const state = startState({
    type: 'run-started',
    at: 0,
    runId: 'run',
    firstTemporalRunId: 't',
    start: { agent: 'agent', input: 'Go.', maxIterations: 1_000 },
  });
  const agent = {
    ...agentWith(1_000, false),
    budget,
    prices: [ofModel],
    options: { maxOutputTokens },
  };
  const resolved = apply(state, { type: 'agent-resolved', agent });
  return apply(resolved, { type: 'appended', entries: ['input'] });
}

/** One iteration: a model call of that size, and all of its tools. */
function iterated(state: LoopState, call: Call): LoopState {
  const iteration = state.iteration + 1;
  const activityId = `${iteration}/model`;
  const output = state.agent?.options.maxOutputTokens ?? 0;
  const inputTokens = Math.floor((reservation(state).tokens - output) * call.promptShare);
  const usage = {
    inputTokens,
    outputTokens: Math.floor(output * call.outputShare),
    cacheReadInputTokens: Math.floor(inputTokens * call.cachedShare),
  };
  const toolCalls = Array.from({ length: call.toolCalls }, (_, index) => ({
    kind: 'tool_call' as const,
    toolCall: { id: `c${iteration}-${index}`, name: 'a', arguments: '{}' },
  }));
  const message = {
    id: `m${iteration}`,
    role: 'assistant' as const,
    parts: [{ kind: 'text' as const, text: 'Hm.' }, ...toolCalls],
  };
  let next = apply(state, { type: 'iteration-started', iteration, received: [] });
  next = apply(next, { type: 'model-started' });
  const result = { message, finishReason: 'tool_calls' as const, usage };
  next = apply(next, { type: 'model-ended', at: 0, activityId, result });
  next = apply(next, { type: 'appended', entries: [activityId] });
  const proposed = next.pendingToolCalls.filter(({ status }) => status === 'proposed');
  for (const pending of proposed) {
    const callId = pending.call.id;
    next = apply(next, { type: 'tool-started', callId });
    const outcome = { status: 'lost' as const, reason: 'gone' };
    next = apply(next, { type: 'tool-ended', at: 0, callId, outcome });
  }
  const entries = next.pendingToolCalls.flatMap((each) =>
    each.status === 'settled' ? [each.message] : [],
  );
  next = apply(next, { type: 'appended', entries });
  return apply(next, { type: 'iteration-ended' });
}

/** Iterates until the budget stops the run, 60 times at most. */
function played(start: LoopState, planned: readonly Call[]): readonly LoopState[] {
  const states = [start];
  let state = start;
  for (let index = 0; index < 60 && !isOverBudget(state, 0); index += 1) {
    const call = planned[index % planned.length];
    if (call === undefined) break;
    state = iterated(state, call);
    states.push(state);
  }
  return states;
}

describe('a budget, over random runs', () => {
  it('is never exceeded by calls that stay within their reservation', () => {
    fc.assert(
      fc.property(limits, price, fc.integer({ min: 1, max: 5_000 }), calls(1), (...given) => {
        const [budget, ofModel, output, planned] = given;
        const final = played(begun(budget, ofModel, output), planned).at(-1);
        if (final === undefined) throw new Error('a run has a state');
        const spent = spentOf(final, 0);
        expect(spent.iterations).toBeLessThanOrEqual(budget.iterations ?? 60);
        expect(spent.tokens).toBeLessThanOrEqual(budget.tokens ?? Number.POSITIVE_INFINITY);
        const allowed = Math.round((budget.usd ?? Number.POSITIVE_INFINITY) * 1_000_000);
        expect(spent.usd).toBeLessThanOrEqual(allowed);
        expect(spent.toolCalls).toBeLessThanOrEqual(budget.toolCalls ?? Number.POSITIVE_INFINITY);
      }),
      { numRuns },
    );
  });

  it('is exceeded at most by what the last call took beyond its reservation', () => {
    fc.assert(
      fc.property(limits, price, fc.integer({ min: 1, max: 5_000 }), calls(5), (...given) => {
        const [{ tokens = 1_000 }, ofModel, output, planned] = given;
        const states = played(begun({ tokens }, ofModel, output), planned);
        for (const [index, state] of states.entries()) {
          const before = states[index - 1];
          if (before === undefined) continue;
          const { tokens: spent } = spentOf(state, 0);
          const taken = spent - spentOf(before, 0).tokens;
          const excess = Math.max(0, taken - reservation(before).tokens);
          expect(spent).toBeLessThanOrEqual(tokens + excess);
        }
      }),
      { numRuns },
    );
  });

  it('has room again once it is extended by what the next call may take', () => {
    fc.assert(
      fc.property(limits, price, fc.integer({ min: 1, max: 5_000 }), calls(3), (...given) => {
        const [budget, ofModel, output, planned] = given;
        const final = played(begun(budget, ofModel, output), planned).at(-1);
        if (final === undefined || !isOverBudget(final, 0)) return;
        const { tokens, microUsd = 0 } = reservation(final);
        const inForce = limitsOf(final);
        const spent = spentOf(final, 0);
        const missing = {
          iterations: Math.max(1, spent.iterations + 1 - (inForce.iterations ?? 0)),
          tokens: Math.max(1, spent.tokens + tokens - (inForce.tokens ?? 0)),
          usd: Math.max(0.000_001, (spent.usd + microUsd + 1) / 1_000_000),
        };
        const extended = apply(final, { type: 'budget-extended', at: 0, budget: missing });
        expect(budgetStop(extended, 0)).toBeUndefined();
        expect({ ...extended, extension: undefined }).toEqual({ ...final, extension: undefined });
      }),
      { numRuns },
    );
  });

  it('counts as cost the sum over its calls, each at its own price', () => {
    fc.assert(
      fc.property(price, calls(2), (ofModel, planned) => {
        const states = played(begun({ iterations: 12 }, ofModel, 100), planned);
        let sum = 0;
        for (const [index, state] of states.entries()) {
          const before = states[index - 1];
          if (before === undefined) continue;
          const cached = (of: LoopState) => of.usage.cacheReadInputTokens ?? 0;
          sum += costOf(ofModel, {
            inputTokens: state.usage.inputTokens - before.usage.inputTokens,
            outputTokens: state.usage.outputTokens - before.usage.outputTokens,
            cacheReadInputTokens: cached(state) - cached(before),
          });
          expect(state.costMicroUsd).toBe(sum);
        }
      }),
      { numRuns },
    );
  });

  it('leaves each state of a run to be told again from its history', () => {
    fc.assert(
      fc.property(plans, limits, price, fc.nat(60_000), (plan, counted, ofModel, time) => {
        const budget = time === 0 ? counted : { ...counted, wallTimeMs: time };
        const agent = { ...plan.agent, budget, prices: [ofModel, null] };
        const { boundaries: seen, histories, final } = simulate({ ...plan, agent });
        expect(histories.flatMap((events) => boundaries({ runId: 'run', events }))).toEqual(seen);
        const allowed = budget.toolCalls ?? Number.POSITIVE_INFINITY;
        expect(final.toolCalls).toBeLessThanOrEqual(allowed);
        expect(JSON.parse(JSON.stringify(final))).toEqual(final);
      }),
      { numRuns },
    );
  });
});
