/** The published prices, and a configuration's own before them. */
import { describe, expect, it } from 'vitest';
import { costOf, highestCostOf } from '../../src/loop/budget-cost.ts';
import { Price } from '../../src/loop/price.ts';
import { priceOf } from '../../src/models/prices.ts';

describe('priceOf', () => {
  it('knows a model under each name of its provider, and its dated snapshots', () => {
    const price = priceOf('openai:gpt-5.5');
    expect(price).toMatchObject({ input: 5, output: 30, cacheRead: 0.5 });
    expect(priceOf('openai-chat:gpt-5.5')).toBe(price);
    expect(priceOf('openai:gpt-5.5-2026-04-23')).toBe(price);
    expect(priceOf('anthropic:claude-haiku-4-5-20251001')?.input).toBe(1);
  });

  it.each([
    'openai:gpt-9',
    'compat:gpt-5.5',
    'gpt-5.5',
    'scripted',
    'openai:constructor',
    'constructor:gpt-5.5',
    ':gpt-5.5',
    'anthropic:claude-sonnet',
  ])('knows nothing of %s', (name) => {
    expect(priceOf(name)).toBeUndefined();
  });

  it('lets own prices go before published ones, by the exact name alone', () => {
    const own = { 'openai:gpt-5.5': { input: 1, output: 2 }, 'compat:x': { input: 0, output: 0 } };
    expect(priceOf('openai:gpt-5.5', own)).toEqual({ input: 1, output: 2 });
    expect(priceOf('openai-chat:gpt-5.5', own)?.input).toBe(5);
    expect(priceOf('compat:x', own)).toEqual({ input: 0, output: 0 });
  });

  it('has prices that a run can record, and never asks less for a long prompt', () => {
    for (const name of ['openai:gpt-5.5', 'openai:gpt-6-luna', 'anthropic:claude-haiku-5-5']) {
      const price = priceOf(name);
      expect(Price.safeParse(price).success, name).toBe(true);
      const { input = 0, longPrompt } = price ?? {};
      expect(longPrompt?.input, name).toBeGreaterThan(input);
    }
  });
});

describe('costOf', () => {
  const price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };
  const longPrompt = { above: 1_000, input: 4, output: 15 };

  it.each([
    ['input and output', price, { inputTokens: 1_000, outputTokens: 100 }, 3_000],
    [
      'cached input at its own rates',
      price,
      {
        inputTokens: 1_000,
        outputTokens: 0,
        cacheReadInputTokens: 600,
        cacheWriteInputTokens: 200,
      },
      200 * 2 + 600 * 0.2 + 200 * 2.5,
    ],
    [
      'cached input as input, where it has no rate',
      { input: 2, output: 10 },
      { inputTokens: 1_000, outputTokens: 0, cacheReadInputTokens: 600 },
      2_000,
    ],
    [
      'a prompt of just the length as a short one',
      { ...price, longPrompt },
      { inputTokens: 1_000, outputTokens: 100 },
      3_000,
    ],
    [
      'the whole of a longer prompt at the other rates',
      { ...price, longPrompt },
      { inputTokens: 1_001, outputTokens: 100 },
      4 * 1_001 + 1_500,
    ],
    [
      'fractions to the nearest whole',
      { input: 0.05, output: 0 },
      { inputTokens: 30, outputTokens: 9 },
      2,
    ],
    ['nothing for a free model', { input: 0, output: 0 }, { inputTokens: 9, outputTokens: 9 }, 0],
  ])('takes %s', (_title, given, usage, expected) => {
    expect(costOf(given, usage)).toBe(expected);
    expect(highestCostOf(given, usage.inputTokens, usage.outputTokens)).toBeGreaterThanOrEqual(
      costOf(given, usage),
    );
  });
});
