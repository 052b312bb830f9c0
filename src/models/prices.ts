/** Prices of models whose providers publish them, and how a configuration's own go before them. */
import type { Price } from '../loop/price.ts';

/** What a model costs in US dollars per million tokens, and how many tokens it takes at most, prompt and answer together. */
export interface ModelPrice extends Price {
  readonly contextTokens?: number;
}

/** Prices by model, under the name that agents use: `openai:gpt-5.5`. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>;

/** OpenAI takes other rates for a whole request with a longer prompt: input and cache twice as much, output one and a half times. */
const openAiLongPrompt = 272_000;

function withLongPrompt(price: Price): Price {
  const { input, output, cacheRead, cacheWrite } = price;
  const longPrompt = {
    above: openAiLongPrompt,
    input: input * 2,
    output: output * 1.5,
    ...(cacheRead !== undefined && { cacheRead: cacheRead * 2 }),
    ...(cacheWrite !== undefined && { cacheWrite: cacheWrite * 2 }),
  };
  return { ...price, longPrompt };
}

/**
 * Standard rates as of November 2026, without batch, priority and regional ones. Most are from the providers'
 * public pages: developers.openai.com/api/docs/pricing and the page of each model beside it; platform.claude.com/docs,
 * About Claude, Pricing, and the page of each model beside it. From others' lists, not checked against those pages:
 * gpt-5, gpt-5.2, gpt-5.4 with its smaller ones, gpt-5.5, gpt-6-sol, gpt-6-luna; the cache rates of Haiku 4.5 follow
 * from its provider's multipliers. A configuration's own prices go before all of these. Cache writes are those of the shortest time, which is the
 * default of both. `gpt-5.6` and `gpt-5.6-sol` stand at their list price: the
 * lower one was promised until 21 November 2026 only.
 */
const openAi: ModelPrices = {
  'gpt-6.2-sol': {
    ...withLongPrompt({ input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 }),
    contextTokens: 1_050_000,
  },
  'gpt-6-sol': {
    ...withLongPrompt({ input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }),
    contextTokens: 1_050_000,
  },
  'gpt-6-luna': {
    ...withLongPrompt({ input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125 }),
    contextTokens: 1_050_000,
  },
  'gpt-5.6': {
    ...withLongPrompt({ input: 5, output: 30, cacheRead: 0.5, cacheWrite: 6.25 }),
    contextTokens: 1_050_000,
  },
  'gpt-5.6-sol': {
    ...withLongPrompt({ input: 5, output: 30, cacheRead: 0.5, cacheWrite: 6.25 }),
    contextTokens: 1_050_000,
  },
  'gpt-5.6-terra': {
    ...withLongPrompt({ input: 2, output: 12, cacheRead: 0.2, cacheWrite: 2.5 }),
    contextTokens: 1_050_000,
  },
  'gpt-5.6-luna': {
    ...withLongPrompt({ input: 0.2, output: 1.2, cacheRead: 0.02, cacheWrite: 0.25 }),
    contextTokens: 1_050_000,
  },
  'gpt-5.5': {
    ...withLongPrompt({ input: 5, output: 30, cacheRead: 0.5 }),
    contextTokens: 1_050_000,
  },
  'gpt-5.4': {
    ...withLongPrompt({ input: 2.5, output: 15, cacheRead: 0.25 }),
    contextTokens: 1_050_000,
  },
  'gpt-5.4-mini': { input: 0.75, output: 4.5, cacheRead: 0.075, contextTokens: 400_000 },
  'gpt-5.4-nano': { input: 0.2, output: 1.25, cacheRead: 0.02 },
  'gpt-5.2': { input: 1.75, output: 14, cacheRead: 0.175, contextTokens: 400_000 },
  'gpt-5.1': { input: 1.25, output: 10, cacheRead: 0.125, contextTokens: 400_000 },
  'gpt-5': { input: 1.25, output: 10, cacheRead: 0.125, contextTokens: 400_000 },
  'gpt-5-mini': { input: 0.25, output: 2, cacheRead: 0.025, contextTokens: 400_000 },
  'gpt-5-nano': { input: 0.05, output: 0.4, cacheRead: 0.005, contextTokens: 400_000 },
};

/** As of the same month, from the same pages. */
const anthropic: ModelPrices = {
  'claude-fable-5-1': {
    input: 10,
    output: 50,
    cacheRead: 0.25,
    cacheWrite: 12.5,
    contextTokens: 1_000_000,
  },
  'claude-opus-5-5': {
    input: 4,
    output: 20,
    cacheRead: 0.2,
    cacheWrite: 5,
    contextTokens: 1_000_000,
  },
  'claude-opus-5': {
    input: 5,
    output: 25,
    cacheRead: 0.5,
    cacheWrite: 6.25,
    contextTokens: 1_000_000,
  },
  'claude-opus-4-5': {
    input: 5,
    output: 25,
    cacheRead: 0.5,
    cacheWrite: 6.25,
    contextTokens: 200_000,
  },
  'claude-sonnet-5-5': {
    input: 2,
    output: 10,
    cacheRead: 0.1,
    cacheWrite: 2.5,
    contextTokens: 1_000_000,
  },
  'claude-sonnet-5': {
    input: 2,
    output: 10,
    cacheRead: 0.2,
    cacheWrite: 2.5,
    contextTokens: 1_000_000,
  },
  'claude-haiku-5-5': {
    input: 0.1,
    output: 0.5,
    cacheRead: 0.01,
    cacheWrite: 0.125,
    longPrompt: { above: 100_000, input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 },
    contextTokens: 1_000_000,
  },
  'claude-haiku-4-5': {
    input: 1,
    output: 5,
    cacheRead: 0.1,
    cacheWrite: 1.25,
    contextTokens: 200_000,
  },
};

const published: Readonly<Record<string, ModelPrices>> = {
  openai: openAi,
  'openai-chat': openAi,
  anthropic,
};

/**
 * What the model of that name costs: as `own` says, else as its provider publishes, whatever the date of the
 * snapshot in its name. Undefined when neither is known.
 */
export function priceOf(name: string, own: ModelPrices = {}): ModelPrice | undefined {
  if (Object.hasOwn(own, name)) return own[name];
  const colon = name.indexOf(':');
  const ofProvider = Object.hasOwn(published, name.slice(0, Math.max(0, colon)))
    ? published[name.slice(0, colon)]
    : undefined;
  const model = name.slice(colon + 1).replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, '');
  return ofProvider !== undefined && Object.hasOwn(ofProvider, model)
    ? ofProvider[model]
    : undefined;
}
