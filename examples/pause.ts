/** Pausing a run: it stands still at its next boundary, takes messages meanwhile, and goes on when it is resumed. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { defineAgent, defineTool, explain } from '../src/index.ts';
import { scriptedModel, startTestHarness } from '../src/testing/index.ts';

const started = Promise.withResolvers<void>();
const finish = Promise.withResolvers<void>();
const work = defineTool({
  name: 'work',
  description: 'Works until it is done.',
  input: z.object({}),
  effect: 'none',
  async execute() {
    started.resolve();
    await finish.promise;
    return 'worked';
  },
});
const model = scriptedModel([{ calls: [{ name: 'work' }] }, { text: 'All done.' }]);

const [address] = process.argv.slice(2);
const harness = await startTestHarness({
  agents: { worker: defineAgent({ model, instructions: 'Work.', tools: [work] }) },
  ...(address !== undefined && { engine: { address } }),
});
const run = await harness.everloop.start('worker', { input: 'Do it.' });
await started.promise;
await run.pause({ by: 'ann', reason: 'lunch' });
finish.resolve(); // the call in flight comes to its end

let paused = 0;
for await (const event of run.events()) {
  if (event.type !== 'paused') continue;
  paused = event.iteration;
  const snapshot = await run.snapshot();
  assert.equal(snapshot.status, 'paused');
  assert.match(explain(snapshot).join('\n'), /Paused by ann: lunch/);
  await run.send('Take your time.');
  await run.resume({ by: 'ann' });
}

const { output } = await run.result();
assert.match(JSON.stringify(await run.messages()), /Take your time/);
console.log(`stood still after iteration ${paused}, then: ${output}`);
await harness.stop();
