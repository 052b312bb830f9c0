import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { task } from '../../src/abilities/task/task.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Message } from '../../src/chat/message.ts';
import type { Request } from '../../src/chat/request.ts';
import { textOf } from '../../src/chat/text-of.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { ScriptedAnswer } from '../../src/models/scripted.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { Gate } from '../support/gate.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';
import { resultTexts } from '../support/transcript.ts';

const gate = new Gate();
const started: string[] = [];
const seen: Message[][] = [];

const slow = defineTool({
  name: 'slow',
  description: 'Waits until it is let go.',
  input: z.object({}),
  effect: 'none',
  async execute(_input, { signal, run }) {
    started.push(run.id);
    await gate.passed(signal);
    return 'slow';
  },
});

function isTask(request: Request): boolean {
  return lastUserText(request).startsWith('You work on one task');
}

function lastUserText({ messages }: Request): string {
  const user = messages.findLast(({ role }) => role === 'user');
  return user === undefined ? '' : textOf(user);
}

function tasks(...texts: readonly string[]) {
  return texts.map((text) => ({ name: 'task', input: { task: text } }));
}

/** The parent calls for tasks once, the sub-agent answers by what its task says. */
function answer(request: Request): ScriptedAnswer {
  seen.push([...request.messages]);
  if (isTask(request)) {
    const text = lastUserText(request);
    const isFirst = request.messages.at(-1)?.role === 'user';
    if (text.includes('NEST') && isFirst) return { calls: tasks('Again.') };
    if (text.includes('WAIT') && isFirst) return { calls: [{ name: 'slow', input: {} }] };
    if (text.includes('FAIL'))
      return { error: { kind: 'bad_request', retryable: false, message: 'no' } };
    if (text.includes('SILENT')) return { text: '' };
    if (text.includes('LOOP')) return { text: 'So far.', calls: [{ name: 'slow', input: {} }] };
    return {
      text: `Done: ${text.split('\n').at(-1)}`,
      usage: { inputTokens: 100, outputTokens: 10 },
    };
  }
  const wanted = lastUserText(request);
  if (request.messages.at(-1)?.role === 'user') {
    return { calls: tasks(...wanted.split(' | ')), usage: { inputTokens: 1, outputTokens: 1 } };
  }
  return { text: 'All done.', usage: { inputTokens: 1, outputTokens: 1 } };
}

const common = { model: scriptedModel(answer, { name: 'family' }), instructions: 'Work.' };
const agents = {
  boss: defineAgent({ ...common, tools: [slow, task()] }),
  teller: defineAgent({ ...common, tools: [slow, task({ context: 'forked' })] }),
  deep: defineAgent({ ...common, tools: [task({ agent: 'deep' })] }),
  poor: defineAgent({ ...common, tools: [task()], budget: { tokens: 60_000, children: 2 } }),
  brief: defineAgent({ ...common, tools: [slow], maxIterations: 1 }),
  lender: defineAgent({ ...common, tools: [task({ agent: 'brief' })] }),
};

let harness: Harness;

async function start(name: keyof typeof agents, input: string): Promise<RunHandle> {
  return await harness.everloop.start(name, { input });
}

async function expectReplay(run: RunHandle): Promise<void> {
  const verdict = await run.replay();
  expect(verdict.ok ? 'replays' : verdict.problem).toBe('replays');
}

beforeAll(async () => {
  harness = await startHarness({ agents });
});
afterAll(async () => {
  await harness.stop();
});

describe('a sub-agent', () => {
  it('runs side by side with others, answers with its last message, and its usage counts for the parent', async () => {
    const run = await start('boss', 'One. | Two.');
    const result = await run.result();
    expect(result.stopReason).toBe('completed');
    const messages = await run.messages();
    expect(resultTexts(messages)).toEqual(['Done: One.', 'Done: Two.']);
    expect(result.usage).toMatchObject({ inputTokens: 202, outputTokens: 22 });
    expect(result.children).toMatchObject([
      { agent: 'boss/task', stopReason: 'completed' },
      { agent: 'boss/task', stopReason: 'completed' },
    ]);
    const [child] = result.children ?? [];
    expect(JSON.stringify(messages)).toContain(child?.runId);
    const listed = await Array.fromAsync(run.children());
    expect(listed.map(({ id }) => id).toSorted()).toEqual(
      result.children?.map(({ runId }) => runId).toSorted(),
    );
    const types = (await Array.fromAsync(run.events())).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith('child'))).toEqual([
      'child-start',
      'child-start',
      'child-end',
      'child-end',
    ]);
    await expectReplay(run);
  });

  it('sees nothing but its task, and no tool that starts another one', async () => {
    seen.length = 0;
    await (await start('boss', 'A small one.')).result();
    const own = seen.find((messages) => isTask({ messages, options: {} }));
    expect(own?.map(({ role }) => role)).toEqual(['system', 'user']);
  });

  it('with a forked context begins with the conversation before the call', async () => {
    seen.length = 0;
    const said = (role: 'user' | 'assistant', text: string): Message => ({
      role,
      parts: [{ kind: 'text', text }],
    });
    const history = [said('user', 'Hello.'), said('assistant', 'Hello to you.')];
    const run = await harness.everloop.start('teller', { input: 'First. | Second.', history });
    const { stopReason, children = [] } = await run.result();
    expect(stopReason).toBe('completed');
    // The user message directly before the call asks for more than the task.
    const own = seen.filter((messages) => isTask({ messages, options: {} }));
    expect(own.map((messages) => messages.map(textOf).slice(1, 3))).toEqual([
      ['Hello.', 'Hello to you.'],
      ['Hello.', 'Hello to you.'],
    ]);
    expect(own.map(({ length }) => length)).toEqual([4, 4]);
    const [child] = children;
    const forked = harness.everloop.run(child?.runId ?? '');
    expect((await forked.messages()).slice(0, 2)).toMatchObject([
      { inherited: true },
      { inherited: true },
    ]);
    await expectReplay(run);
    await expectReplay(forked);
  });

  it('may not start another one, unless the agent says so', async () => {
    const run = await start('deep', 'NEST');
    const { children = [] } = await run.result();
    const [child] = children;
    const below = harness.everloop.run(child?.runId ?? '');
    expect(resultTexts(await below.messages())[0]).toContain(
      'a sub-agent may not start another one',
    );
  });

  it('that fails, says nothing or stops early is an answer too', async () => {
    const run = await start('boss', 'FAIL | SILENT');
    await run.result();
    const [failed, silent] = resultTexts(await run.messages());
    expect(failed).toMatch(/^task failed: no/);
    expect(silent).toBe('(no output)');
    gate.open();
    const lender = await start('lender', 'LOOP');
    await lender.result();
    gate.close();
    expect(resultTexts(await lender.messages())[0]).toMatch(
      /^So far\.\n\n\(The sub-agent stopped early/,
    );
    await expectReplay(run);
    await expectReplay(lender);
  });

  it('is cancelled with its parent', async () => {
    started.length = 0;
    const run = await start('boss', 'WAIT');
    await expect.poll(() => started, { timeout: 10_000 }).toHaveLength(1);
    const [childId = ''] = started;
    await run.cancel();
    expect((await run.result()).stopReason).toBe('cancelled');
    expect((await harness.everloop.run(childId).result()).stopReason).toBe('cancelled');
    await expectReplay(run);
  });

  it('that is cancelled by itself leaves its parent going on, with what it had used', async () => {
    started.length = 0;
    const run = await start('boss', 'WAIT');
    await expect.poll(() => started, { timeout: 10_000 }).toHaveLength(1);
    const [childId = ''] = started;
    await harness.everloop.run(childId).cancel();
    const result = await run.result();
    expect(result.stopReason).toBe('completed');
    expect(resultTexts(await run.messages())[0]).toContain('stopped early');
    expect(result.children).toMatchObject([{ runId: childId, stopReason: 'cancelled' }]);
    await expectReplay(run);
  });

  it('that is interrupted with its parent is called off, and the parent goes on', async () => {
    started.length = 0;
    const run = await start('boss', 'WAIT');
    await expect.poll(() => started, { timeout: 10_000 }).toHaveLength(1);
    await run.send('Leave it.', { mode: 'interrupt' });
    await expect
      .poll(async () => (await run.snapshot()).state?.iteration, { timeout: 10_000 })
      .toBe(2);
    await run.cancel();
    await run.result();
    expect(resultTexts(await run.messages())[0]).toContain('stopped early');
    await expectReplay(run);
  });

  it('gets an equal share of what is left, and no more of them than the budget allows', async () => {
    const run = await start('poor', 'One. | Two. | Three.');
    await run.result();
    const texts = resultTexts(await run.messages());
    expect(texts.filter((text) => text.startsWith('Done'))).toHaveLength(2);
    expect(texts[2]).toContain('may start 2 sub-agents at most');
    const { children = [] } = await run.result();
    const budgets = await Promise.all(
      children.map(
        async ({ runId }) => (await harness.everloop.run(runId).snapshot()).state?.start.budget,
      ),
    );
    expect(
      budgets.every((budget) => (budget?.tokens ?? 0) > 19_000 && (budget?.tokens ?? 0) < 30_001),
    ).toBe(true);
  });
});
