/** Questions: the agent asks the person that it works for, and waits for the answer. */
import assert from 'node:assert/strict';
import { askUser, defineAgent } from '../src/index.ts';
import { scriptedModel, startTestHarness } from '../src/testing/index.ts';

const question = { question: 'Which colour?', choices: ['red', 'green'] };
const model = scriptedModel(({ messages }) => {
  const answer = /(red|green|no answer)/.exec(JSON.stringify(messages.at(-1)))?.[1];
  return messages.at(-1)?.role === 'tool'
    ? { text: `Painted it ${answer}.` }
    : { calls: [{ name: 'ask_user', input: question }] };
});

const [address] = process.argv.slice(2);
const harness = await startTestHarness({
  agents: {
    painter: defineAgent({
      model,
      instructions: 'Paint the door.',
      tools: [askUser({ timeout: '7 days' })], // then it goes on without an answer
    }),
  },
  ...(address !== undefined && { engine: { address } }),
});
const run = await harness.everloop.start('painter', { input: 'Paint it.' });

for await (const event of run.events()) {
  if (event.type !== 'question') continue;
  const { callId, input, deadline } = event.data;
  assert.deepEqual(JSON.parse(input), question);
  assert.ok(deadline !== undefined && deadline > Date.now());
  await run.answer(callId, 'green', { by: 'bob' });
}

const { output } = await run.result();
assert.equal(output, 'Painted it green.');
console.log(output);
await harness.stop();
