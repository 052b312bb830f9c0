/** Changing the course of a run: `steer` cuts off what the model is saying, `interrupt` calls running tools off as well. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { defineAgent, defineTool } from '../src/index.ts';
import { scriptedModel, startTestHarness } from '../src/testing/index.ts';

const crawl = defineTool({
  name: 'crawl',
  description: 'Reads page after page.',
  input: z.object({}),
  effect: 'none',
  execute: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    }),
});
const model = scriptedModel(({ messages }) => {
  const last = JSON.stringify(messages.findLast(({ role }) => role === 'user'));
  if (last.includes('Stop')) return { text: 'I leave it at that.' };
  if (last.includes('Look it up')) return { text: 'Looking.', calls: [{ name: 'crawl' }] };
  return { text: 'Let me begin with the history of the question.', stallAfter: 1 };
});

const [address] = process.argv.slice(2);
const harness = await startTestHarness({
  agents: { guide: defineAgent({ model, instructions: 'Answer.', tools: [crawl] }) },
  ...(address !== undefined && { engine: { address } }),
});
const run = await harness.everloop.start('guide', { input: 'How far is the moon?' });

for await (const event of run.events()) {
  if (event.type === 'model-start' && event.iteration === 1) {
    await run.send('Look it up.', { mode: 'steer' });
  }
  if (event.type === 'tool-start') await run.send('Stop that.', { mode: 'interrupt' });
}

const result = await run.result();
assert.equal(result.output, 'I leave it at that.');
assert.equal(result.iterations, 3);
const messages = await run.messages();
// Every call has its result, also one that was called off.
assert.match(JSON.stringify(messages.find(({ role }) => role === 'tool')), /crawl/);
assert.equal(messages.filter(({ role }) => role === 'user').length, 3);
console.log('changed course twice');
await harness.stop();
