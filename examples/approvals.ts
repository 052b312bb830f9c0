/** Approvals: a call waits, for as long as it takes, until somebody decides. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { defineAgent, defineTool, explain } from '../src/index.ts';
import { scriptedModel, startTestHarness } from '../src/testing/index.ts';

const paid: number[] = [];
const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount.',
  input: z.object({ cents: z.int().positive() }),
  approve: ({ cents }) => cents > 100, // small sums need nobody
  execute({ cents }) {
    paid.push(cents);
    return `paid ${cents}`;
  },
});
const model = scriptedModel([
  { calls: [50, 500, 900].map((cents) => ({ name: 'pay', input: { cents } })) },
  { text: 'Paid what I may.' },
]);

const [address] = process.argv.slice(2);
const harness = await startTestHarness({
  agents: { clerk: defineAgent({ model, instructions: 'Pay the bills.', tools: [pay] }) },
  ...(address !== undefined && { engine: { address } }),
});
const run = await harness.everloop.start('clerk', { input: 'Pay all three.' });

for await (const event of run.events()) {
  if (event.type !== 'approval-request') continue;
  const { callId, input } = event.data;
  // The run says who has to do what; `everloop approve` and `deny` decide on it as well.
  assert.match(explain(await run.snapshot()).join('\n'), /waits for an approval/);
  if (JSON.parse(input).cents > 600) {
    await run.decide(callId, { decision: 'deny', reason: 'too much', by: 'ann' });
  } else {
    await run.decide(callId, { decision: 'edit', input: { cents: 250 }, by: 'ann' });
  }
  // The first decision counts.
  await assert.rejects(run.decide(callId, { decision: 'allow' }), { code: 'rejected' });
}

assert.deepEqual(
  paid.toSorted((a, b) => a - b),
  [50, 250],
);
assert.match(JSON.stringify(await run.messages()), /denied by user: too much/);
console.log(`paid: ${paid.toSorted((a, b) => a - b).join(', ')}`);
await harness.stop();
