/** The agents of `crash.ts`: a module that each Worker process loads. */
import { appendFileSync } from 'node:fs';
import { z } from 'zod';
import { defineAgent, defineTool } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays a bill.',
  input: z.object({ bill: z.string() }),
  effect: 'once',
  execute({ bill }) {
    appendFileSync(process.env['EXAMPLE_LEDGER'] ?? '', `${bill}\n`);
    return `${bill} is paid`;
  },
});
const model = scriptedModel([
  { calls: [{ name: 'pay', input: { bill: 'rent' } }] },
  { calls: [{ name: 'pay', input: { bill: 'power' } }] },
  { text: 'Everything is paid.' },
]);

export const agents = {
  payer: defineAgent({ model, instructions: 'Pay the bills.', tools: [pay] }),
};
