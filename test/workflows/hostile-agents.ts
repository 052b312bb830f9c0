/** Agents for runs that are controlled at random: what the model says follows from the number in the run's input. */
import { z } from 'zod';
import { task } from '../../src/abilities/task/task.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { defineHook } from '../../src/agents/define-hook.ts';
import type { Request } from '../../src/chat/request.ts';
import { textOf } from '../../src/chat/text-of.ts';
import type { ScriptedAnswer } from '../../src/models/scripted.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { defineExternalTool, defineTool } from '../../src/tools/define-tool.ts';

/** Numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Calls of `once` tools that have begun, by run and call. */
export const begun: string[] = [];

const text = z.object({ text: z.string() });
const shown = defineTool({
  name: 'shown',
  description: 'Always asks.',
  input: text,
  approve: 'always',
  execute({ text }, { run }) {
    begun.push(`${run.id} ${run.callId}`);
    return text;
  },
});
const brief = defineTool({
  name: 'brief',
  description: 'Asks, and does not wait for long.',
  input: text,
  approve: { when: 'always', timeout: '400 ms', onTimeout: 'allow' },
  execute({ text }, { run }) {
    begun.push(`${run.id} ${run.callId}`);
    return text;
  },
});
const picky = defineTool({
  name: 'picky',
  description: 'Asks about some inputs.',
  input: text,
  approve: ({ text }) => text.length % 2 === 0,
  execute({ text }, { run }) {
    begun.push(`${run.id} ${run.callId}`);
    return text;
  },
});
const slow = defineTool({
  name: 'slow',
  description: 'Takes a while.',
  input: text,
  effect: 'none',
  async execute(_input, { signal }) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 150);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    return 'slow';
  },
});
const quick = defineTool({
  name: 'quick',
  description: 'Is local.',
  input: text,
  effect: 'none',
  local: true,
  execute: ({ text }) => text,
});
const ask = defineExternalTool({ name: 'ask', description: 'Asks.', input: text });
const askBriefly = defineExternalTool({
  name: 'ask_briefly',
  description: 'Asks for a moment.',
  input: text,
  timeout: '300 ms',
});

const names = ['shown', 'brief', 'picky', 'slow', 'quick', 'ask', 'ask_briefly', 'task'] as const;

function answer({ messages }: Request): ScriptedAnswer {
  const first = messages.find(({ role }) => role === 'user');
  const said = first === undefined ? '' : textOf(first);
  if (said.startsWith('You work on one task')) return { text: 'The task is done.' };
  const round = messages.filter(({ role }) => role === 'assistant').length;
  const random = randomFrom(Number(/seed (\d+)/.exec(said)?.[1] ?? 0) * 31 + round);
  if (round >= 4 || random() < 0.1) return { text: 'Done with it.' };
  const calls = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
    const name = names[Math.floor(random() * names.length)] ?? 'quick';
    return {
      name,
      input:
        name === 'task' ? { task: 'Look.' } : { text: 'x'.repeat(1 + Math.floor(random() * 4)) },
    };
  });
  return { text: `Round ${round}.`, calls, ...(random() < 0.15 && { stallAfter: 1 }) };
}

const hook = defineHook({
  name: 'doubt',
  onToolStart: ({ input }) =>
    input['text'] === 'xxx' ? { action: { kind: 'ask', question: 'Really?' } } : undefined,
  onToolEnd: ({ call }) => ({ metadata: { last: call.name } }),
  onLoop: ({ run }) => ({ metadata: { iteration: run.iteration } }),
});

const tools = [shown, brief, picky, slow, quick, ask, askBriefly, task()];
const common = {
  model: scriptedModel(answer, { name: 'erratic', chunkSize: 3 }),
  instructions: 'Work.',
  tools,
};

export const hostileAgents = {
  plain: defineAgent(common),
  watched: defineAgent({ ...common, hooks: [hook] }),
  serial: defineAgent({ ...common, serialTools: true, hooks: [hook] }),
  poor: defineAgent({
    ...common,
    budget: { toolCalls: 5, children: 1, iterations: 4 },
    onLimit: { waitFor: '400 ms' },
  }),
};
