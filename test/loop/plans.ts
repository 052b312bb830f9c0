/** Random runs: any finish reason, calls with bad ids and arguments, lost tools, messages, cancellation. */
import fc from 'fast-check';
import { FinishReason } from '../../src/chat/finish-reason.ts';
import type { AgentSpec } from '../../src/loop/agent-spec.ts';
import type { HookChanges } from '../../src/loop/hook-changes.ts';
import type { HookMoment } from '../../src/loop/hook-moment.ts';
import type { Plan, PlannedAnswer, PlannedEnd } from './plan.ts';

const toolNames = ['a', 'b'];

export function agentWith(maxIterations: number, continueOnLength: boolean): AgentSpec {
  return {
    version: 1,
    name: 'agent',
    models: ['m', 'n'],
    instructions: 'Be.',
    tools: toolNames.map((name) => ({
      definition: { name, inputSchema: { type: 'object' } },
      effect: 'none',
      timeoutMs: 1_000,
      maxAttempts: 1,
      maxResultBytes: 1_000,
    })),
    options: {},
    maxIterations,
    onMaxIterations: 'stop',
    serialTools: false,
    continueOnLength,
    heartbeatTimeoutMs: 1_000,
    hash: 'h',
  };
}

const call = fc.record({
  id: fc.constantFrom('c1', 'c2', 'model', 'a/b', 'über', 'x'.repeat(80), 'compact.2'),
  name: fc.constantFrom(...toolNames, 'unknown'),
  arguments: fc.constantFrom('{}', '', '{"x":1}', '[1]', '{"x"', 'null', '7'),
});

const usage = fc.option(fc.record({ inputTokens: fc.nat(1_000), outputTokens: fc.nat(1_000) }), {
  nil: undefined,
});

const answer: fc.Arbitrary<PlannedAnswer> = fc.record({
  text: fc.constantFrom('', 'Hm.', 'Let me see.'),
  calls: fc.array(call, { maxLength: 4 }),
  finishReason: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('stop' as const, 'tool_calls' as const) },
    { weight: 1, arbitrary: fc.constantFrom(...FinishReason.options) },
  ),
  usage,
  pause: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.boolean()),
  fails: fc.oneof({ weight: 15, arbitrary: fc.constant(false) }, fc.boolean()),
});

const end: fc.Arbitrary<PlannedEnd> = fc.record({
  rank: fc.nat(10),
  end: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('finished' as const, 'error' as const) },
    fc.constantFrom(
      { kind: 'called-off' as const },
      { kind: 'timeout' as const, heartbeat: true },
      { kind: 'timeout' as const, heartbeat: false },
      { kind: 'failed' as const, message: 'gone' },
    ),
  ),
});

const changes: fc.Arbitrary<HookChanges> = fc.record(
  {
    hook: fc.constantFrom('h', 'i'),
    metadata: fc.dictionary(fc.constantFrom('k', 'l'), fc.constantFrom(null, 1, 'x'), {
      maxKeys: 2,
    }),
    tools: fc.constantFrom({ hide: ['a'] }, { show: ['a'], hide: ['b'] }, { show: ['a', 'b'] }),
    events: fc.constant([{ type: 'seen', data: 1 }]),
  },
  { requiredKeys: ['hook'] },
);
/** In the loop hooks may also add messages, and stop the run. */
const loopChanges: fc.Arbitrary<HookChanges> = fc
  .tuple(changes, fc.nat(2), fc.nat(9))
  .map(([given, messages, stop]) => ({
    ...given,
    ...(messages > 0 && {
      messages: Array.from({ length: messages }, () => ({
        id: 'to be given',
        role: 'user' as const,
        parts: [{ kind: 'text' as const, text: 'from a hook' }],
      })).slice(0, 1),
    }),
    ...(stop === 9 && { stop: { reason: 'aborted' as const } }),
  }));
const stopChanges: fc.Arbitrary<HookChanges> = fc
  .tuple(changes, fc.nat(9))
  .map(([given, stop]) => ({
    ...given,
    ...(stop === 9 && { stop: { reason: 'completed' as const, detail: 'Enough.' } }),
  }));

const hooks: fc.Arbitrary<Plan['hooks']> = fc.oneof(
  fc.constant({}),
  fc.record(
    {
      onStart: loopChanges.map((given) => ({ ...given, instructions: ['Be brief.'] })),
      onModelEnd: stopChanges,
      onToolStart: changes,
      onToolEnd: stopChanges,
      onLoop: loopChanges,
      onEnd: changes,
    },
    { requiredKeys: [] },
  ),
);

export const plans: fc.Arbitrary<Plan> = fc
  .record({
    maxIterations: fc.integer({ min: 1, max: 12 }),
    continueOnLength: fc.boolean(),
    answers: fc.array(answer, { minLength: 1, maxLength: 6 }),
    ends: fc.array(end, { minLength: 1, maxLength: 6 }),
    sends: fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('m1', 'm2', 'm3', 'constructor', '__proto__'),
        after: fc.integer({ min: 1, max: 12 }),
        by: fc.constantFrom('update' as const, 'signal' as const),
      }),
      { maxLength: 5, selector: (send) => send.id },
    ),
    continueAfter: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 3 }),
    hooks,
    actions: fc.array(fc.constantFrom('proceed', 'proceed', 'proceed', 'skip', 'abort'), {
      maxLength: 3,
    }),
    sealsFail: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
    cancelAfter: fc.option(fc.integer({ min: 1, max: 15 }), { nil: undefined, freq: 2 }),
  })
  .map(({ maxIterations, continueOnLength, ...rest }) => ({
    agent: withHooks(agentWith(maxIterations, continueOnLength), rest.hooks),
    ...rest,
  }));

/** The agent with a hook for each moment that is planned. */
function withHooks(agent: AgentSpec, hooks: Plan['hooks']): AgentSpec {
  const moments = Object.keys(hooks) as HookMoment[];
  if (moments.length === 0) return agent;
  return { ...agent, hooks: [{ name: 'h', moments, timeoutMs: 1_000 }] };
}
