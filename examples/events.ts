/** Watching a run: every event once and in order, and from any event on again. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { defineAgent, defineTool } from '../src/index.ts';
import { scriptedModel, startTestHarness } from '../src/testing/index.ts';

const dice = defineTool({
  name: 'roll',
  description: 'Rolls a die.',
  input: z.object({ sides: z.int().positive() }),
  effect: 'none',
  execute: ({ sides }) => `a ${sides}`,
});
const model = scriptedModel([
  { calls: [{ name: 'roll', input: { sides: 6 } }] },
  { text: 'You rolled a six.' },
]);

const [address] = process.argv.slice(2);
const harness = await startTestHarness({
  agents: { croupier: defineAgent({ model, instructions: 'Roll.', tools: [dice] }) },
  ...(address !== undefined && { engine: { address } }),
});
const run = await harness.everloop.start('croupier', { input: 'Roll a die.' });

// A watcher that loses its connection remembers the id of the last event it saw.
const seen = [];
for await (const event of run.events()) {
  seen.push(event);
  if (event.type === 'tool-end') break;
}
const after = seen.at(-1)?.id ?? '';
for await (const event of run.events({ after })) seen.push(event);

assert.deepEqual(seen, await Array.fromAsync(run.events()));
assert.deepEqual(
  seen.map((event) => event.type),
  [
    'run-start',
    'message',
    'iteration-start',
    'model-start',
    'model-end',
    'message',
    'tool-start',
    'tool-end',
    'message',
    'iteration-end',
    'iteration-start',
    'model-start',
    'model-end',
    'message',
    'iteration-end',
    'run-end',
  ],
);
console.log(`${seen.length} events, none missed and none twice`);
await harness.stop();
