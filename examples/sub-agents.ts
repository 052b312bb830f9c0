/** Sub-agents: a tool call that is a run of its own, with a transcript, a budget and a history. */
import assert from 'node:assert/strict';
import { defineAgent, task } from '../src/index.ts';
import { scriptedModel, startTestHarness } from '../src/testing/index.ts';

const usage = { inputTokens: 100, outputTokens: 10 };
const scout = scriptedModel(
  ({ messages }) => {
    const city = /Lisbon|Oslo/.exec(JSON.stringify(messages))?.[0];
    return { text: `${city}: ${city === 'Oslo' ? 'snow' : 'sun'}`, usage };
  },
  { name: 'scout' },
);
const tasks = ['Lisbon', 'Oslo'].map((city) => `How is the weather in ${city}?`);
const planner = scriptedModel(
  [
    // Calls of one response run side by side.
    { calls: tasks.map((text) => ({ name: 'task', input: { task: text } })), usage },
    { text: 'Go to Lisbon.', usage },
  ],
  { name: 'planner' },
);

const [address] = process.argv.slice(2);
const harness = await startTestHarness({
  agents: {
    scout: defineAgent({ model: scout, instructions: 'Find out one thing.' }),
    planner: defineAgent({
      model: planner,
      instructions: 'Plan a journey.',
      tools: [task({ agent: 'scout' })],
    }),
  },
  ...(address !== undefined && { engine: { address } }),
});
const { run, result, messages } = await harness.run('planner', 'Where shall I go?');

assert.equal(result.output, 'Go to Lisbon.');
assert.match(JSON.stringify(messages), /Lisbon: sun.*Oslo: snow/);
const children = await Array.fromAsync(run.children());
assert.deepEqual(
  children.map(({ agent, status }) => [agent, status]),
  tasks.map(() => ['scout', 'completed']),
);
// A child is a run like any other: it can be shown, watched, approved, cancelled, replayed.
for (const { id } of children) assert.equal((await harness.everloop.run(id).messages()).length, 2);
assert.equal(result.usage.inputTokens, 400);
console.log(`${children.length} sub-agents, ${result.usage.inputTokens / 100} model calls in all`);
await harness.stop();
