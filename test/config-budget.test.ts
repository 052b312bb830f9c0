/** Budgets and prices in a configuration file. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../src/config.ts';
import { ConfigurationError } from '../src/everloop-error.ts';

async function loaded(content: string) {
  const directory = await mkdtemp(join(tmpdir(), 'everloop-config-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, 'everloop.config.ts'), `export default ${content};`);
  return await loadConfig({ directory, env: {} });
}

it('names every limit and price that is none, each at its place', async () => {
  const error = await loaded(`{
    agents: {
      support: {
        model: 'openai:gpt-5.5', instructions: '', maxDepth: 1.5,
        budget: { tokens: 0, wallTime: 'soon', money: 3 }, onLimit: { waitFor: 'long' },
      },
      other: { model: 'openai:gpt-5.5', instructions: '', budget: 7 },
    },
    prices: { 'compat:x': { input: -1 }, 'compat:y': { input: 1, output: 2, per: 'token' } },
  }`).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigurationError)) throw new Error(`no ConfigurationError: ${error}`);
  const places = error.problems.map(({ where }) => where.replace('everloop.config.ts: ', ''));
  expect(places.sort()).toEqual([
    'agents.other.budget',
    'agents.support.budget.money',
    'agents.support.budget.tokens',
    'agents.support.budget.wallTime',
    'agents.support.maxDepth',
    'agents.support.onLimit.waitFor',
    'prices.compat:x.input',
    'prices.compat:x.output',
    'prices.compat:y',
  ]);
});

it('gives the prices on as they are', async () => {
  const prices = { 'compat:x': { input: 1, output: 2, cacheRead: 0.1, contextTokens: 8_000 } };
  const config = await loaded(`{ agents: {}, prices: ${JSON.stringify(prices)} }`);
  expect(config.prices).toEqual(prices);
  expect((await loaded('{ agents: {} }')).prices).toBeUndefined();
});
