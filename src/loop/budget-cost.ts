/** What model calls cost, from recorded prices alone. In millionths of a dollar: a token times a dollar per million of them. */
import type { Usage } from '../chat/usage.ts';
import type { Price } from './price.ts';

type Rates = Omit<Price, 'longPrompt'>;

/** The rates of a call with a prompt of that many tokens. */
function ratesFor({ longPrompt, ...rates }: Price, promptTokens: number): Rates {
  return longPrompt !== undefined && promptTokens > longPrompt.above ? longPrompt : rates;
}

/** Millionths of a dollar for one call, to the nearest whole one: sums of fractions would depend on their order. */
export function costOf(price: Price, usage: Readonly<Usage>): number {
  const { inputTokens, outputTokens, cacheReadInputTokens = 0, cacheWriteInputTokens = 0 } = usage;
  const { input, output, cacheRead = input, cacheWrite = input } = ratesFor(price, inputTokens);
  const cached = cacheReadInputTokens + cacheWriteInputTokens;
  const cost =
    Math.max(0, inputTokens - cached) * input +
    cacheReadInputTokens * cacheRead +
    cacheWriteInputTokens * cacheWrite +
    outputTokens * output;
  return Math.round(cost);
}

/** The most that a call of that size can cost: nothing is read from a cache, everything is written to it. */
export function highestCostOf(price: Price, inputTokens: number, outputTokens: number): number {
  const { input, output, cacheWrite = input } = ratesFor(price, inputTokens);
  return Math.ceil(inputTokens * Math.max(input, cacheWrite) + outputTokens * output);
}

/** Millionths of a dollar as dollars. */
export function toUsd(microUsd: number): number {
  return microUsd / 1_000_000;
}

/** Dollars as millionths of one. */
export function toMicroUsd(usd: number): number {
  return Math.round(usd * 1_000_000);
}
