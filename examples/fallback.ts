/** A list of models: when one fails for good, the next goes on where the run stands. */
import assert from 'node:assert/strict';
import { defineAgent } from '../src/index.ts';
import {
  startAnthropicServer,
  startOpenAiResponsesServer,
  startTestHarness,
} from '../src/testing/index.ts';

// Two providers on this machine that speak the real wire formats; the first one refuses every key.
const openai = await startOpenAiResponsesServer({ script: [], apiKey: 'another' });
const anthropic = await startAnthropicServer({ script: [{ text: 'At your service.' }] });

const [address] = process.argv.slice(2);
const harness = await startTestHarness({
  agents: {
    helper: defineAgent({
      model: ['openai:gpt-5.5', 'anthropic:claude-sonnet-5'],
      instructions: 'Help.',
    }),
  },
  providers: {
    openai: { apiKey: 'expired', baseURL: openai.url },
    anthropic: { apiKey: 'valid', baseURL: anthropic.url },
  },
  ...(address !== undefined && { engine: { address } }),
});
const { run, result } = await harness.run('helper', 'Are you there?');

assert.equal(result.output, 'At your service.');
const ends = (await Array.fromAsync(run.events())).filter((event) => event.type === 'model-end');
assert.deepEqual(
  ends.map(({ data }) => data.status),
  ['failed', 'finished'],
);
console.log('the second model answered');
await harness.stop();
await openai.close();
await anthropic.close();
