/** Hooks: code beside the loop. What they change is recorded, so that a replay needs none of them. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { defineAgent, defineHook, defineTool } from '../src/index.ts';
import { scriptedModel, startTestHarness } from '../src/testing/index.ts';

const remove = defineTool({
  name: 'remove',
  description: 'Removes a file.',
  input: z.object({ path: z.string() }),
  effect: 'idempotent',
  execute: ({ path }) => `${path} is gone`,
});
const guard = defineHook({
  name: 'guard',
  onStart: () => ({ instructions: ['Never touch /etc.'], metadata: { refused: 0 } }),
  onToolStart: ({ input, metadata }) =>
    String(input['path']).startsWith('/etc')
      ? {
          action: { kind: 'skip', text: 'refused: /etc stays as it is' },
          metadata: { refused: Number(metadata['refused']) + 1 },
          events: [{ type: 'refused', data: input }],
        }
      : undefined,
});
const model = scriptedModel([
  {
    calls: [
      { name: 'remove', input: { path: '/tmp/old' } },
      { name: 'remove', input: { path: '/etc/passwd' } },
    ],
  },
  { text: 'Removed what I may.' },
]);

const [address] = process.argv.slice(2);
const harness = await startTestHarness({
  agents: {
    cleaner: defineAgent({ model, instructions: 'Clean up.', tools: [remove], hooks: [guard] }),
  },
  ...(address !== undefined && { engine: { address } }),
});
const { run, messages } = await harness.run('cleaner', 'Clean up, please.');

assert.match(JSON.stringify(messages), /\/tmp\/old is gone/);
assert.match(JSON.stringify(messages), /refused: \/etc stays as it is/);
const { state } = await run.snapshot();
assert.deepEqual(state?.metadata, { refused: 1 });
const events = await Array.fromAsync(run.events());
assert.ok(events.some((event) => event.type === 'guard.refused'));
console.log('one call run, one refused');
await harness.stop();
