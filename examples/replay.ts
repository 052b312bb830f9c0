/** Replay and time travel: LoopState after every iteration, from history alone, and the proof that this code does the same again. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { defineAgent, defineTool } from '../src/index.ts';
import { scriptedModel, startTestHarness } from '../src/testing/index.ts';

const count = defineTool({
  name: 'count',
  description: 'Counts.',
  input: z.object({ to: z.int() }),
  effect: 'none',
  local: true, // no round trip through the server
  execute: ({ to }) => Array.from({ length: to }, (_, n) => n + 1).join(' '),
});
const model = scriptedModel([
  { calls: [{ name: 'count', input: { to: 3 } }] },
  { calls: [{ name: 'count', input: { to: 5 } }] },
  { text: 'I can count.' },
]);

const [address] = process.argv.slice(2);
const harness = await startTestHarness({
  agents: { counter: defineAgent({ model, instructions: 'Count.', tools: [count] }) },
  ...(address !== undefined && { engine: { address } }),
});
const { run } = await harness.run('counter', 'Count for me.');
const verdict = await run.replay();

assert.equal(verdict.ok, true);
const after = (iteration: number) =>
  verdict.states.find((state) => state.iteration === iteration)?.transcript.count;
assert.deepEqual([0, 1, 2].map(after), [0, 3, 5]);
assert.equal(verdict.states.at(-1)?.output, 'I can count.');
console.log(`${verdict.states.length} states, all as recorded`);
await harness.stop();
