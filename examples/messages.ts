/** Messages to a running agent: each is read at the next boundary, once, however often it is sent. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { defineAgent, defineTool } from '../src/index.ts';
import { scriptedModel, startTestHarness } from '../src/testing/index.ts';

const waiting = Promise.withResolvers<void>();
const wait = defineTool({
  name: 'wait',
  description: 'Waits until it is told to go on.',
  input: z.object({}),
  effect: 'none',
  execute: () => waiting.promise,
});
const model = scriptedModel(({ messages }) => {
  const said = messages.filter((message) => message.role === 'user').length;
  return messages.every((message) => message.role !== 'assistant')
    ? { text: 'One moment.', calls: [{ name: 'wait' }] }
    : { text: `I have read ${said} messages.` };
});

const [address] = process.argv.slice(2);
const harness = await startTestHarness({
  agents: { clerk: defineAgent({ model, instructions: 'You take notes.', tools: [wait] }) },
  ...(address !== undefined && { engine: { address } }),
});
const run = await harness.everloop.start('clerk', { input: 'I have a few things to say.' });

// A sender that is not sure whether it got through sends again with the same id.
const first = await run.send('The first one.', { id: 'message-1' });
assert.deepEqual(await run.send('The first one.', { id: 'message-1' }), first);
await run.send('The second one.', { id: 'message-2' });
waiting.resolve();

const result = await run.result();
assert.equal(result.output, 'I have read 3 messages.');
await assert.rejects(run.send('Too late.'), { code: 'run_ending' });
console.log(result.output);
await harness.stop();
