/** Random runs that people control: approvals, answers, steering, pauses, budgets, sub-agents, compaction. */
import fc from 'fast-check';
import type { AgentSpec, ToolSpec } from '../../src/loop/agent-spec.ts';
import type { BudgetLimits } from '../../src/loop/budget-limits.ts';
import { HookMoment } from '../../src/loop/hook-moment.ts';
import type { ControlPlan, Plan, PlannedAnswer, Told } from './plan.ts';
import { plans } from './plans.ts';

const timeoutMs = fc.option(fc.constantFrom(2_000, 20_000), { nil: undefined, freq: 1 });
const onTimeout = fc.constantFrom(undefined, 'allow' as const, 'deny' as const);

const approve = fc
  .record({ when: fc.constantFrom('always' as const, 'predicate' as const), timeoutMs, onTimeout })
  .map((given) => ({
    when: given.when,
    ...(given.timeoutMs !== undefined && { timeoutMs: given.timeoutMs }),
    ...(given.onTimeout !== undefined && { onTimeout: given.onTimeout }),
  }));

function toolWith(name: string, more: Partial<ToolSpec>): ToolSpec {
  return {
    definition: { name, inputSchema: { type: 'object' } },
    effect: 'once',
    timeoutMs: 1_000,
    maxAttempts: 1,
    maxResultBytes: 1_000,
    ...more,
  };
}

/** By name: `a` and `b` are plain or approved, `d` always asks, `e` is answered from outside, `s` and `t` are sub-agents. */
const tools = fc
  .tuple(fc.option(approve, { nil: undefined }), approve, timeoutMs, fc.boolean())
  .map(([a, d, wait, asksForTask]): readonly ToolSpec[] => [
    toolWith('a', a === undefined ? {} : { approve: a }),
    toolWith('b', { effect: 'none', maxAttempts: 3 }),
    toolWith('d', { approve: d }),
    toolWith('e', { external: wait === undefined ? {} : { timeoutMs: wait } }),
    toolWith('s', { subAgent: { agent: 'sub', context: 'fresh' } }),
    toolWith('t', {
      subAgent: { agent: 'sub', context: 'fresh' },
      ...(asksForTask && { approve: d }),
    }),
  ]);

const call = fc.record({
  id: fc.constantFrom('c1', 'c2', 'model', 'a/b', 'compact.2', 'result/c1', 'hook/onLoop'),
  name: fc.constantFrom('a', 'b', 'd', 'd', 'e', 'e', 's', 't', 'unknown'),
  arguments: fc.constantFrom('{"task":"Go."}', '{"task":"Go."}', '{}', '[1]'),
});

const answer: fc.Arbitrary<PlannedAnswer> = fc.record({
  text: fc.constantFrom('', 'Hm.', 'Let me see.'),
  calls: fc.array(call, { maxLength: 4 }),
  finishReason: fc.constantFrom('stop', 'tool_calls', 'tool_calls', 'length', 'refusal'),
  usage: fc.option(fc.record({ inputTokens: fc.nat(1_000), outputTokens: fc.nat(100) }), {
    nil: undefined,
  }),
  pause: fc.nat(9).map((n) => n === 9),
  fails: fc.nat(9).map((n) => n === 9),
});

const limits: fc.Arbitrary<BudgetLimits> = fc
  .record(
    {
      tokens: fc.integer({ min: 500, max: 10_000 }),
      toolCalls: fc.integer({ min: 1, max: 6 }),
      children: fc.integer({ min: 1, max: 3 }),
      iterations: fc.integer({ min: 1, max: 9 }),
      wallTimeMs: fc.integer({ min: 10_000, max: 200_000 }),
    },
    { requiredKeys: [] },
  )
  .map((given) => ({ ...given }));

const by = fc.constantFrom('update' as const, 'signal' as const);
const which = fc.nat(4);
const told: fc.Arbitrary<Told> = fc.oneof(
  fc.record({
    kind: fc.constant('send' as const),
    id: fc.constantFrom('s1', 's2', 's3', 's4', 'm1'),
    mode: fc.constantFrom('queue' as const, 'steer' as const, 'interrupt' as const),
    by,
  }),
  fc.record({
    kind: fc.constant('decide' as const),
    which,
    decision: fc.constantFrom('allow' as const, 'deny' as const, 'edit' as const),
    remember: fc.boolean(),
    by,
  }),
  fc.record({ kind: fc.constant('answer' as const), which, by }),
  fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const), by }),
  fc.record({
    kind: fc.constant('extendBudget' as const),
    more: fc.constantFrom<BudgetLimits[]>(
      { tokens: 1_000 },
      { toolCalls: 2, children: 1 },
      { toolCalls: 1 },
      { children: 1 },
      { iterations: 2 },
      { wallTimeMs: 50_000 },
    ),
    by,
  }),
  fc.record({
    kind: fc.constant('rubbish' as const),
    name: fc.constantFrom('send', 'decide', 'answer', 'pause', 'extendBudget', 'fork', 'strange'),
    payload: fc.constantFrom<unknown[]>(
      undefined,
      null,
      7,
      'text',
      {},
      { callId: 7 },
      { callId: 'c1', decision: 'maybe' },
      { message: '' },
      { tokens: -1 },
    ),
  }),
);

const control: fc.Arbitrary<ControlPlan> = fc.record({
  told: fc.array(fc.record({ after: fc.integer({ min: 1, max: 25 }), what: told }), {
    maxLength: 12,
  }),
  delays: fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }),
  together: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
  resultsFirst: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
  cuts: fc.array(fc.constantFrom('as-planned', 'partial', 'called-off', 'lost'), {
    minLength: 1,
    maxLength: 4,
  }),
  children: fc.array(
    fc.constantFrom('completed', 'completed', 'error', 'failed', 'cancelled', 'terminated', 'odd'),
    { minLength: 1, maxLength: 4 },
  ),
  fallback: fc.constantFrom('allow', 'deny'),
  continueParked: fc.uniqueArray(fc.integer({ min: 1, max: 25 }), { maxLength: 8 }),
  compactions: fc.array(fc.constantFrom('done', 'done', 'nothing', 'failed'), {
    minLength: 1,
    maxLength: 3,
  }),
  hookFails: fc.oneof(
    { weight: 6, arbitrary: fc.constant([]) },
    fc.array(fc.constantFrom(...HookMoment.options), { maxLength: 1 }),
  ),
});

const terms = fc.record({
  tools,
  serialTools: fc.boolean(),
  onMaxIterations: fc.constantFrom('stop' as const, 'finish' as const),
  budget: fc.option(limits, { nil: undefined }),
  waits: fc.boolean(),
  context: fc.option(fc.integer({ min: 100, max: 1_500 }), { nil: undefined }),
});

/** Beside what {@link plans} has. */
export const controlledPlans: fc.Arbitrary<Plan> = fc
  .tuple(
    plans,
    terms,
    fc.array(answer, { minLength: 1, maxLength: 6 }),
    control,
    fc.array(fc.constantFrom('proceed', 'proceed', 'ask', 'ask', 'skip', 'invalid', 'abort'), {
      maxLength: 3,
    }),
  )
  .map(([plan, given, answers, people, actions]) => {
    const { budget, waits, context, ...others } = given;
    const agent: AgentSpec = {
      ...plan.agent,
      ...others,
      options: { maxOutputTokens: 50 },
      ...(budget !== undefined && { budget }),
      ...(waits && { onLimit: { waitForMs: 30_000 } }),
      ...(context !== undefined && { contextTokens: [context, context] }),
    };
    return { ...plan, agent, answers, actions, control: people };
  });
