/** What an agent may say of its limits, and what its runs record of it. */
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { toAgentSpec } from '../../src/agents/to-agent-spec.ts';
import { AgentSpec } from '../../src/loop/agent-spec.ts';
import { priceOf } from '../../src/models/prices.ts';

const base = { model: 'openai:gpt-5.5', instructions: 'Help.' };

describe('defineAgent', () => {
  it('names every limit that is none, all at once', () => {
    const wrong = {
      iterations: 0,
      tokens: 1.5,
      usd: -1,
      toolCalls: Number.NaN,
      children: '3',
      wallTime: 'soon',
      money: 3,
    };
    // @ts-expect-error what a program without types may write
    const define = () => defineAgent({ ...base, budget: wrong, onLimit: 'wait', maxDepth: -1 });
    expect(define).toThrow(TypeError);
    expect(define).toThrow(
      /budget\.iterations: .*budget\.tokens: .*budget\.usd: .*budget\.toolCalls: .*budget\.children: .*budget\.wallTime: .*budget\.money: is no limit; .*onLimit: must be .*maxDepth: /,
    );
    expect(() => defineAgent({ ...base, onLimit: { waitFor: '0 s' } })).toThrow(
      /onLimit\.waitFor: must be a positive duration/,
    );
  });

  it.each([
    [{ budget: { usd: 0.01 } }],
    [{ budget: {} }],
    [{ budget: { wallTime: 1_000, iterations: 1 }, onLimit: 'stop' as const }],
    [{ onLimit: { waitFor: '7 days' } as const, maxDepth: 0 }],
  ])('takes %j', (terms) => {
    expect(() => defineAgent({ ...base, ...terms })).not.toThrow();
  });
});

describe('toAgentSpec', () => {
  const settings = { heartbeatTimeoutMs: 1_000 };

  it('records limits with their time in milliseconds, and how long is waited at one', () => {
    const agent = defineAgent({
      ...base,
      budget: { tokens: 400_000, usd: 3, wallTime: '2 days' },
      onLimit: { waitFor: '7 days' },
      maxDepth: 3,
    });
    const spec = toAgentSpec('support', agent, settings);
    expect(spec).toMatchObject({
      budget: { tokens: 400_000, usd: 3, wallTimeMs: 172_800_000 },
      onLimit: { waitForMs: 604_800_000 },
      maxDepth: 3,
    });
    expect(AgentSpec.parse(spec)).toEqual(spec);
  });

  it('records the price of each of the models, with null where nobody knows one', () => {
    const agent = defineAgent({ ...base, model: ['compat:x', 'anthropic:claude-haiku-4-5'] });
    const spec = toAgentSpec('support', agent, { ...settings, priceOf });
    expect(spec.prices).toEqual([null, { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }]);
    expect(spec.contextTokens).toEqual([null, 200_000]);
    expect(AgentSpec.parse(spec)).toEqual(spec);
  });

  it('records the price of the model that the options name in place of the own one', () => {
    const options = { model: 'gpt-5.1' };
    const spec = toAgentSpec('support', defineAgent(base), { ...settings, options, priceOf });
    expect(spec.prices?.[0]?.input).toBe(1.25);
  });

  it('records an agent without limits and prices as if there were no such thing', () => {
    const agent = defineAgent({ ...base, model: 'compat:x', onLimit: 'stop', budget: {} });
    const plain = toAgentSpec('a', defineAgent({ ...base, model: 'compat:x' }), settings);
    expect(toAgentSpec('a', agent, { ...settings, priceOf })).toEqual(plain);
    expect(Object.keys(plain)).not.toContain('budget');
    expect(Object.keys(plain)).not.toContain('prices');
  });
});
