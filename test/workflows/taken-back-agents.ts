/** Agents of runs that are forked and taken back. */
import { z } from 'zod';
import { task } from '../../src/abilities/task/task.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { textOf } from '../../src/chat/text-of.ts';
import type { TranscriptMessage } from '../../src/chat/transcript-message.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { Gate } from '../support/gate.ts';

/** Holds the calls of `hold`. */
export const gate = new Gate();
/** While it is closed, the model fails where it would end. */
export const account = { isClosed: false };

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ cents: z.int() }),
  effect: 'keyed',
  execute: ({ cents }) => `paid ${cents}`,
});
const hold = defineTool({
  name: 'hold',
  description: 'Waits.',
  input: z.object({}),
  async execute(_input, { signal }) {
    await gate.passed(signal);
    return 'held';
  },
});

/** Pays in each of `rounds` iterations, then repeats what the user said last. */
const payer = (name: string, rounds: number) =>
  scriptedModel(
    ({ messages }) => {
      const said = messages.findLast((message) => message.role === 'user');
      const answers = messages.filter((message) => message.role === 'assistant').length;
      if (account.isClosed && answers === rounds) {
        return { error: { kind: 'bad_request', message: 'the account is closed' } };
      }
      if (answers >= rounds) return { text: `Done with: ${said && textOf(said)}` };
      return { text: `Paying ${answers}.`, calls: [{ name: 'pay', input: { cents: answers } }] };
    },
    { name },
  );

/** Holds when it is told to, and says what else it was told. */
export const holder = defineAgent({
  model: scriptedModel(
    ({ messages }) => {
      const last = messages.at(-1);
      return last?.role === 'user' && textOf(last) === 'Hold.'
        ? { text: 'Holding.', calls: [{ name: 'hold' }] }
        : { text: `Heard: ${last && textOf(last)}` };
    },
    { name: 'holder' },
  ),
  instructions: '',
  tools: [hold],
});

/** Those that pay, wait, and have others wait for them. */
export const takenBackAgents = {
  boss: defineAgent({
    model: scriptedModel(
      ({ messages }) => {
        const [first] = messages;
        const last = messages.at(-1);
        if (last?.role === 'tool') return { text: 'All done.' };
        const isTask = first !== undefined && textOf(first).startsWith('You work on one task');
        return {
          calls: [isTask ? { name: 'hold' } : { name: 'task', input: { task: 'Wait.' } }],
        };
      },
      { name: 'boss' },
    ),
    instructions: '',
    tools: [hold, task()],
  }),
  payer: defineAgent({ model: payer('payer', 2), instructions: 'Pay.', tools: [pay] }),
  long: defineAgent({
    model: payer('long', 130),
    instructions: 'Pay.',
    tools: [pay],
    maxIterations: 200,
  }),
  endless: defineAgent({
    model: scriptedModel(() => ({ calls: [{ name: 'pay', input: { cents: 1 } }] }), {
      name: 'endless',
    }),
    instructions: '',
    tools: [pay],
    maxIterations: 2,
  }),
  holder,
};

/** Each message in a line. */
export function says(messages: readonly TranscriptMessage[]): readonly string[] {
  return messages.map((message) => `${message.role}: ${textOf(message)}`);
}
