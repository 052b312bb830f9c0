/** Cancelling a run: the text so far is kept, every call is answered, and `explain` says what happened. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { defineAgent, defineTool, explain } from '../src/index.ts';
import { scriptedModel, startTestHarness } from '../src/testing/index.ts';

const started = Promise.withResolvers<void>();
const mail = defineTool({
  name: 'mail',
  description: 'Sends a mail.',
  input: z.object({ to: z.string() }),
  effect: 'once', // never silently sent twice
  execute: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      started.resolve();
    }),
});
const model = scriptedModel([
  { text: 'Sending.', calls: [{ name: 'mail', input: { to: 'everyone' } }] },
]);

const [address] = process.argv.slice(2);
const harness = await startTestHarness({
  agents: { clerk: defineAgent({ model, instructions: 'Send mail.', tools: [mail] }) },
  ...(address !== undefined && { engine: { address } }),
});
const run = await harness.everloop.start('clerk', { input: 'Tell everyone.' });
await started.promise;
await run.cancel();

const result = await run.result();
assert.equal(result.stopReason, 'cancelled');
assert.equal(result.output, 'Sending.');
const last = (await run.messages()).at(-1);
assert.equal(last?.role, 'tool');
assert.match(JSON.stringify(last), /outcome unknown: mail .*check before calling it again/);
assert.deepEqual(explain(await run.snapshot()), ['The run was cancelled.']);
console.log(result.ended);
await harness.stop();
