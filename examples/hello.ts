/** The smallest program: an agent with one tool, a Worker that runs it, a run. Start it with the address of a server: `node examples/hello.ts 127.0.0.1:7233`. */
import assert from 'node:assert/strict';
import { NativeConnection } from '@temporalio/worker';
import { z } from 'zod';
import { defineAgent, defineConfig, defineTool, Everloop } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import { createWorker } from '../src/worker.ts';

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather of a city.',
  input: z.object({ city: z.string() }),
  effect: 'none',
  execute: ({ city }) => `It is sunny in ${city}.`,
});

// A model that follows a script, so that the example needs no key; put a name such as
// 'openai-chat:gpt-5.5' here to ask a real one.
const model = scriptedModel([
  { text: 'Let me look.', calls: [{ name: 'weather', input: { city: 'Lisbon' } }] },
  { text: 'Take your sunglasses to Lisbon.' },
]);

const config = defineConfig({
  agents: {
    hello: defineAgent({ model, instructions: 'You help travellers.', tools: [weather] }),
  },
});

const [address = '127.0.0.1:7233'] = process.argv.slice(2);
const taskQueue = 'everloop-hello';
const connection = await NativeConnection.connect({ address });
const worker = await createWorker({
  connection,
  taskQueue,
  agents: config.agents,
});
const everloop = await Everloop.connect<typeof config>({ address, taskQueue });

const result = await worker.runUntil(async () => {
  const run = await everloop.start('hello', { input: 'What do I pack for Lisbon?' });
  return await run.result();
});

assert.equal(result.stopReason, 'completed');
assert.equal(result.output, 'Take your sunglasses to Lisbon.');
assert.equal(result.iterations, 2);
console.log(result.output);
await everloop.close();
await connection.close();
