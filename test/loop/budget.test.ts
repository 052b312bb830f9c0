/** Limits, what is spent of them, and where a run stops. */
import { describe, expect, it } from 'vitest';
import type { Usage } from '../../src/chat/usage.ts';
import type { AgentSpec } from '../../src/loop/agent-spec.ts';
import { apply, startState } from '../../src/loop/apply.ts';
import { budgetStop, budgetWait, isCallOverBudget, isOverBudget } from '../../src/loop/budget.ts';
import { extendBudgetProblem } from '../../src/loop/budget-extension.ts';
import type { BudgetLimits } from '../../src/loop/budget-limits.ts';
import { assumedOutputTokens, reservation } from '../../src/loop/budget-reservation.ts';
import { amountText, usdText } from '../../src/loop/budget-text.ts';
import { budgetUse, limitsOf, nearLimits, spendingOf, spentOf } from '../../src/loop/budget-use.ts';
import type { ModelCallResult } from '../../src/loop/calls.ts';
import { continuedState } from '../../src/loop/continuation.ts';
import { beforeIteration } from '../../src/loop/decide.ts';
import type { LoopState } from '../../src/loop/loop-state.ts';
import { isRunInput } from '../../src/loop/read-input.ts';
import { StartArgument } from '../../src/loop/run-input.ts';
import { agentWith } from './plans.ts';

const price = { input: 2, output: 10 };
const instructions = 'x'.repeat(300);

interface Given {
  readonly budget?: BudgetLimits;
  readonly start?: BudgetLimits;
  readonly agent?: Partial<AgentSpec>;
}

function begun({ budget, start, agent }: Given = {}): LoopState {
  const spec: AgentSpec = {
    ...agentWith(100, false),
    instructions,
    tools: [],
    prices: [price, { input: 20, output: 100 }],
    options: { maxOutputTokens: 100 },
    ...(budget !== undefined && { budget }),
    ...agent,
  };
  const started = startState({
    type: 'run-started',
    at: 0,
    runId: 'run',
    firstTemporalRunId: 't',
    start: { agent: 'agent', input: 'Go.', ...(start !== undefined && { budget: start }) },
  });
  const resolved = apply(started, { type: 'agent-resolved', agent: spec });
  return apply(resolved, { type: 'appended', entries: ['input'] });
}

/** One iteration, of one model call with calls of the tool `a`. */
function iterated(state: LoopState, usage: Usage | undefined, calls = 0): LoopState {
  const iteration = state.iteration + 1;
  const toolCalls = Array.from({ length: calls }, (_, index) => ({
    id: `c${iteration}-${index}`,
    name: 'a',
    arguments: '{}',
  }));
  const result: ModelCallResult = {
    message: {
      id: `m${iteration}`,
      role: 'assistant',
      parts: [
        { kind: 'text', text: 'y'.repeat(30) },
        ...toolCalls.map((toolCall) => ({ kind: 'tool_call' as const, toolCall })),
      ],
    },
    finishReason: 'tool_calls',
    ...(usage !== undefined && { usage }),
  };
  const activityId = `${iteration}/model`;
  let next = apply(state, { type: 'iteration-started', iteration, received: [] });
  next = apply(next, { type: 'model-started' });
  next = apply(next, { type: 'model-ended', at: 0, activityId, result });
  return apply(next, { type: 'appended', entries: [activityId] });
}

const used = (inputTokens: number, outputTokens: number): Usage => ({ inputTokens, outputTokens });

describe('the limits in force', () => {
  it("are the agent's, with those of the start in their place, key by key, and what was added", () => {
    const state = begun({
      budget: { tokens: 1_000, usd: 1, children: 2 },
      start: { tokens: 50, iterations: 3 },
    });
    expect(limitsOf(state)).toEqual({ tokens: 50, usd: 1, iterations: 3, children: 2 });
    let extended = apply(state, {
      type: 'budget-extended',
      at: 0,
      budget: { tokens: 10, toolCalls: 5 },
    });
    extended = apply(extended, { type: 'budget-extended', at: 0, budget: { tokens: 5, usd: 0.5 } });
    expect(extended.extension).toEqual({ tokens: 15, usd: 0.5, toolCalls: 5 });
    expect(limitsOf(extended)).toEqual({ tokens: 65, usd: 1.5, iterations: 3, children: 2 });
  });

  it('are none without a budget: the run has no use of it, no members of it, and no stop', () => {
    const state = iterated(begun({ agent: { prices: [null] } }), used(1_000_000, 1_000_000));
    expect(spendingOf(state, 0)).toEqual({});
    expect(budgetStop(state, Number.MAX_SAFE_INTEGER)).toBeUndefined();
    for (const member of ['costMicroUsd', 'assumed', 'lastPrompt', 'extension', 'children']) {
      expect(Object.keys(state)).not.toContain(member);
    }
  });
});

describe('what is spent', () => {
  it('is the sum over model calls, each at the price of the model that was asked', () => {
    let state = iterated(begun({ budget: { usd: 1, tokens: 9_999 } }), used(1_000, 10));
    expect(state.costMicroUsd).toBe(2_100);
    state = iterated({ ...state, model: 1 }, used(1_000, 10));
    expect(state.costMicroUsd).toBe(2_100 + 21_000);
    expect(spentOf(state, 5_000)).toEqual({
      iterations: 2,
      tokens: 2_020,
      usd: 23_100,
      wallTimeMs: 5_000,
      toolCalls: 0,
      children: 0,
    });
    expect(spendingOf(state, 5_000)).toEqual({
      costUsd: 0.0231,
      budget: [
        { limit: 'tokens', allowed: 9_999, spent: 2_020 },
        { limit: 'usd', allowed: 1, spent: 0.0231 },
      ],
    });
  });

  it('includes everything that children have used, and their children', () => {
    const children = [
      {
        runId: 'a',
        callId: 'c1',
        agent: 'other',
        usage: { ...used(100, 1), unreported: 0 },
        costMicroUsd: 7,
        iterations: 2,
        toolCalls: 3,
        children: 1,
      },
      { runId: 'b', callId: 'c2', agent: 'other', usage: { ...used(10, 0), unreported: 1 } },
    ];
    const state = { ...iterated(begun(), used(1_000, 10)), children };
    expect(spentOf(state, 0)).toMatchObject({
      iterations: 3,
      tokens: 1_121,
      usd: 2_107,
      toolCalls: 3,
      children: 3,
    });
    expect(spendingOf(state).costUsd).toBe(0.002107);
  });

  it('takes calls whose provider told nothing for what they may have used', () => {
    const before = begun({ budget: { tokens: 9_999, usd: 1 } });
    const state = iterated(before, undefined);
    const { tokens, usd } = spentOf(state, 0);
    const { tokens: reserved } = reservation(before);
    expect(tokens).toBeGreaterThan(reserved - 100);
    expect(tokens).toBeLessThan(reserved);
    expect(usd).toBeGreaterThan(2 * (reserved - 100));
    expect(state.usage).toMatchObject({ inputTokens: 0, unreported: 1 });
  });
});

describe('the reservation', () => {
  it('counts everything before the first call, and then the last prompt and what joined it', () => {
    const state = begun({ budget: { tokens: 9_999 } });
    const first = reservation(state).tokens;
    expect(first).toBeGreaterThan(100 + instructions.length / 3);
    const next = iterated(state, used(5_000, 10));
    const appended = 5_000 + 100;
    expect(reservation(next).tokens).toBeGreaterThan(appended);
    expect(reservation(next).tokens).toBeLessThan(appended + 50);
    expect(reservation(next).microUsd).toBeGreaterThan(2 * 5_000 + 10 * 100);
  });

  it('counts the messages that wait to be read', () => {
    const state = begun({ budget: { tokens: 9_999 } });
    const waiting = apply(state, {
      type: 'message-received',
      at: 0,
      id: 'm',
      message: { role: 'user', parts: [{ kind: 'text', text: 'z'.repeat(3_000) }] },
    });
    const more = reservation(waiting).tokens - reservation(state).tokens;
    expect(more).toBeGreaterThanOrEqual(1_000);
  });

  it('assumes an answer of some length where the agent limits none', () => {
    const limited = reservation(begun()).tokens;
    const free = reservation(begun({ agent: { options: {} } })).tokens;
    expect(free - limited).toBe(assumedOutputTokens - 100);
  });

  it('is the same when the run has gone on in a new Temporal run', () => {
    const state = iterated(begun({ budget: { tokens: 9_999 } }), used(5_000, 10));
    const { count } = state.transcript;
    const sealed = apply(state, {
      type: 'sealed',
      ref: { hash: 'h', messages: count, bytes: 1_000 },
    });
    const carried = continuedState(sealed);
    if (carried === undefined) throw new Error('the state is too large');
    expect(carried.transcript.tail).toEqual([]);
    expect(reservation(carried)).toEqual(reservation(state));
    const { carriedBytes: _, ...lastPrompt } = carried.lastPrompt ?? { tokens: 0, messages: 0 };
    // A state that was taken from a history counts what is sealed by its average size.
    const restored = reservation({ ...carried, lastPrompt });
    expect(restored.tokens).toBe(5_000 + Math.ceil(1_000 / 2 / 3) + 100);
    const further = iterated(carried, used(6_000, 10));
    expect(further.lastPrompt).toEqual({ tokens: 6_000, messages: count });
  });
});

describe('budgetStop', () => {
  it.each<[string, Given, number, RegExp | undefined]>([
    ['at the last iteration', { budget: { iterations: 1 } }, 0, /1 iteration: 1 iteration spent/],
    ['not before it', { budget: { iterations: 2 } }, 0, undefined],
    [
      'when the next call may take more tokens than are left',
      { budget: { tokens: 2_100 } },
      0,
      /2,100 tokens: 1,010 tokens spent, and the next model call may take 1,1\d\d tokens; to go on/,
    ],
    ['not while they are enough', { budget: { tokens: 3_000 } }, 0, undefined],
    [
      'when the next call may cost more than is left',
      { budget: { usd: 0.005 } },
      0,
      /\$0\.0050: \$0\.0021 spent, and the next model call may take \$0\.003\d/,
    ],
    ['not while it is enough', { budget: { usd: 0.01 } }, 0, undefined],
    ['at the end of its time', { budget: { wallTimeMs: 60_000 } }, 60_000, /1 min: 1 min spent;/],
    ['not before it', { budget: { wallTimeMs: 60_000 } }, 59_999, undefined],
    ['not for tool calls and children', { budget: { toolCalls: 1, children: 1 } }, 0, undefined],
    ['by what it was started with', { start: { iterations: 1 } }, 0, /1 iteration/],
  ])('stops %s', (_title, given, now, expected) => {
    const state = iterated(begun(given), used(1_000, 10), 0);
    const stop = budgetStop(state, now);
    expect(isOverBudget(state, now)).toBe(expected !== undefined);
    if (expected === undefined) expect(stop).toBeUndefined();
    else {
      expect(stop?.reason).toBe('budget');
      expect(stop?.detail).toMatch(expected);
      expect(budgetWait(state, now)).toMatch(/everloop extend-budget run$/);
    }
  });

  it('stands behind a cancellation and the limit of iterations of the run', () => {
    const state = iterated(begun({ budget: { iterations: 1 } }), used(1, 1));
    expect(beforeIteration(state, 0)?.reason).toBe('budget');
    expect(beforeIteration({ ...state, maxIterations: 1 }, 0)?.reason).toBe('max_iterations');
    expect(beforeIteration({ ...state, cancelRequested: true }, 0)?.reason).toBe('cancelled');
  });

  it('looks at tokens and dollars alone for another call of the same iteration', () => {
    const state = iterated(begun({ budget: { iterations: 1, usd: 0.01 } }), used(1_000, 10));
    expect(isCallOverBudget(state)).toBe(false);
    expect(isCallOverBudget({ ...state, model: 1 })).toBe(true);
  });
});

describe('a budget of tool calls', () => {
  const tool = agentWith(1, false).tools;

  it('answers the calls beyond it with an error, and counts only what can be run', () => {
    const state = begun({ budget: { toolCalls: 3 }, agent: { tools: tool } });
    const first = iterated({ ...state, toolCalls: 1 }, used(1, 1), 4);
    expect(first.pendingToolCalls.map(({ status }) => status)).toEqual([
      'proposed',
      'proposed',
      'settled',
      'settled',
    ]);
    const [, , refused] = first.pendingToolCalls;
    const text = JSON.stringify(refused?.status === 'settled' && refused.message);
    expect(text).toContain("not executed: a: the run's budget of tool calls is spent");
    expect(text).toContain('"isError":true');
  });
});

describe('a warning', () => {
  it('is due from four fifths of a limit on', () => {
    const state = iterated(begun({ budget: { tokens: 1_000, usd: 1 } }), used(799, 0));
    expect(nearLimits(state, 0)).toEqual([]);
    const further = iterated(state, used(1, 0));
    expect(nearLimits(further, 0)).toEqual([{ limit: 'tokens', allowed: 1_000, spent: 800 }]);
  });

  it('leaves out the limit of time where the time is not known', () => {
    const state = begun({ budget: { wallTimeMs: 1_000 } });
    expect(budgetUse(state)).toEqual([]);
    expect(nearLimits(state, 900)).toHaveLength(1);
  });
});

describe('extendBudgetProblem', () => {
  it.each([
    [{ tokens: 1 }, undefined],
    [{ usd: 0.5, wallTimeMs: 1_000, iterations: 2 }, undefined],
    [{}, /at least one of iterations, tokens, usd/],
    [undefined, /must be an object/],
    [[1], /must be an object/],
    [{ tokens: 0 }, /tokens: must be a whole number from 1/],
    [{ tokens: 1.5, usd: Number.POSITIVE_INFINITY }, /tokens: .*; usd: must be a number above 0/],
    [{ money: 1 }, /"money" is no limit/],
    [{ usd: '3' }, /usd: must be a number/],
  ])('judges %j', (payload, expected) => {
    const problem = extendBudgetProblem(payload);
    if (expected === undefined) expect(problem).toBeUndefined();
    else expect(problem).toMatch(expected);
  });

  it('refuses more of what the run does not limit, given its state', () => {
    const state = begun({ budget: { tokens: 1_000 } });
    expect(extendBudgetProblem({ tokens: 5 }, state)).toBeUndefined();
    expect(extendBudgetProblem({ usd: 5 }, state)).toMatch(/usd: the run has no such limit/);
  });
});

describe('the budget of a start', () => {
  it.each([
    [{ tokens: 10, usd: 0.5 }, true, true],
    [{}, true, true],
    [{ tokens: -1 }, false, false],
    [{ usd: 'much' }, false, false],
    [7, false, false],
    // The Workflow looks at what it knows; the schema refuses the rest.
    [{ money: 1 }, true, false],
  ])('%j is looked at by the Workflow and by the schema', (budget, structure, schema) => {
    const argument = { start: { agent: 'a', input: 'Go.', budget } };
    expect(isRunInput(argument)).toBe(structure);
    expect(StartArgument.safeParse(argument).success).toBe(schema);
  });
});

describe('amounts in words', () => {
  it.each([
    [amountText('tokens', 1_234_567), '1,234,567 tokens'],
    [amountText('toolCalls', 1), '1 tool call'],
    [amountText('wallTimeMs', 2 * 86_400_000 + 3 * 3_600_000), '2 d 3 h'],
    [amountText('wallTimeMs', 61_000), '1 min 1 s'],
    [amountText('wallTimeMs', 900), '900 ms'],
    [usdText(0), '$0.00'],
    [usdText(1_234.5), '$1,234.50'],
    [usdText(0.0042), '$0.0042'],
    [usdText(0.000002), '$0.000002'],
  ])('%s', (text, expected) => {
    expect(text).toBe(expected);
  });
});
