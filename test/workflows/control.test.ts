import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { JsonObject } from '../../src/chat/json.ts';
import { textOf } from '../../src/chat/text-of.ts';
import { explain } from '../../src/client/explain.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { RunStatus } from '../../src/loop/run-status.ts';
import type { Script } from '../../src/models/scripted.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { defineExternalTool, defineTool } from '../../src/tools/define-tool.ts';
import { Gate } from '../support/gate.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';
import { resultTexts } from '../support/transcript.ts';

const paid: number[] = [];
const started: string[] = [];
const gate = new Gate();

const cents = z.object({ cents: z.number().int().positive() });
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: cents,
  approve: ({ cents }) => cents > 100,
  execute({ cents }) {
    paid.push(cents);
    return `paid ${cents}`;
  },
});
const burn = defineTool({
  name: 'burn',
  description: 'Always asks.',
  input: z.object({}),
  approve: 'always',
  execute: () => 'burnt',
});
const hasty = defineTool({
  name: 'hasty',
  description: 'Waits a moment for its approval.',
  input: z.object({ onTimeout: z.enum(['allow', 'deny']) }),
  approve: { when: 'always', timeout: '300 ms', onTimeout: 'allow' },
  execute: () => 'allowed in the end',
});
const strict = defineTool({
  name: 'strict',
  description: 'Waits a moment for its approval.',
  input: z.object({}),
  approve: { when: 'always', timeout: '300 ms' },
  execute: () => 'never',
});
const ask = defineExternalTool({
  name: 'ask',
  description: 'Asks somebody.',
  input: z.object({ question: z.string() }),
});
const askBriefly = defineExternalTool({
  name: 'ask_briefly',
  description: 'Asks somebody who is in a hurry.',
  input: z.object({}),
  timeout: '300 ms',
});
const slow = defineTool({
  name: 'slow',
  description: 'Waits until it is let go.',
  input: z.object({ text: z.string() }),
  effect: 'none',
  async execute({ text }, { signal }) {
    started.push(text);
    await gate.passed(signal);
    return `slow: ${text}`;
  },
});
const tools = [pay, burn, hasty, strict, ask, askBriefly, slow];

function agent(name: string, script: Script) {
  return defineAgent({
    model: scriptedModel(script, { name, chunkSize: 5 }),
    instructions: '',
    tools,
  });
}

function call(name: string, input: JsonObject = {}) {
  return { name, input };
}

const done = { text: 'Done.' };

const agents = {
  payer: agent('payer', [
    {
      calls: [call('pay', { cents: 50 }), call('pay', { cents: 500 }), call('pay', { cents: -1 })],
    },
    done,
  ]),
  burner: agent('burner', [
    { calls: [call('burn'), call('burn')] },
    { calls: [call('burn')] },
    done,
  ]),
  many: agent('many', [{ calls: Array.from({ length: 20 }, () => call('burn')) }, done]),
  hasty: agent('hasty', [
    { calls: [call('hasty', { onTimeout: 'allow' }), call('strict'), call('ask_briefly')] },
    done,
  ]),
  asker: agent('asker', [
    { calls: [call('ask', { question: 'Why?' }), call('slow', { text: 'a' })] },
    done,
  ]),
  worker: agent('worker', [{ calls: [call('slow', { text: 'w' })] }, { text: 'Two.' }]),
  both: agent('both', [
    { calls: [call('slow', { text: 'b' }), call('burn')] },
    { text: 'Changed.' },
  ]),
  speaker: agent('speaker', [
    { text: 'A very long speech.', stallAfter: 2 },
    { text: 'Another way.' },
  ]),
  mute: agent('mute', [{ text: 'Nothing yet.', stallAfter: 0 }]),
};

let harness: Harness;
let n = 0;

async function start(name: keyof typeof agents): Promise<RunHandle> {
  n += 1;
  return await harness.everloop.start(name, { input: 'Go.', id: `${name}-${n}` });
}

async function reached(run: RunHandle, status: RunStatus): Promise<void> {
  await expect.poll(async () => (await run.snapshot()).status, { timeout: 10_000 }).toBe(status);
}

async function pendingIds(run: RunHandle): Promise<readonly string[]> {
  const { state } = await run.snapshot();
  return (state?.pendingToolCalls ?? [])
    .filter(({ status }) => status === 'awaiting')
    .map(({ call: { id } }) => id);
}

async function expectReplay(run: RunHandle): Promise<void> {
  const verdict = await run.replay();
  expect(verdict.ok ? 'replays' : verdict.problem).toBe('replays');
}

async function eventTypes(run: RunHandle): Promise<readonly string[]> {
  return (await Array.fromAsync(run.events())).map(({ type }) => type);
}

beforeAll(async () => {
  harness = await startHarness({ agents });
});
afterAll(async () => {
  await harness.stop();
});

describe('approval', () => {
  it('asks only about the calls that the rule names, runs the others meanwhile, and refuses invalid input by itself', async () => {
    paid.length = 0;
    const run = await start('payer');
    await reached(run, 'waiting:approval');
    expect(paid).toEqual([50]);
    const [id = ''] = await pendingIds(run);
    expect(explain(await run.snapshot()).join('\n')).toContain(`everloop approve ${run.id} ${id}`);
    await run.decide(id, { decision: 'allow', by: 'ann' });
    const result = await run.result();
    expect(result.stopReason).toBe('completed');
    expect(paid).toEqual([50, 500]);
    const [first, second, third] = resultTexts(await run.messages());
    expect([first, second]).toEqual(['paid 50', 'paid 500']);
    expect(third).toContain('invalid arguments for pay');
    const events = await Array.fromAsync(run.events());
    expect(
      events.filter(({ type }) => type.startsWith('approval')).map(({ data }) => data),
    ).toEqual([
      { callId: id, name: 'pay', input: '{"cents":500}' },
      { callId: id, name: 'pay', decision: 'allow', by: 'ann' },
    ]);
    await expectReplay(run);
  });

  it('tells the model why a call was denied, and goes on', async () => {
    const run = await start('payer');
    await reached(run, 'waiting:approval');
    const [id = ''] = await pendingIds(run);
    await run.decide(id, { decision: 'deny', reason: 'too much' });
    await run.result();
    expect(resultTexts(await run.messages())[1]).toBe('denied by user: too much');
    await expectReplay(run);
  });

  it('runs an edited call with the edited input, checked again', async () => {
    paid.length = 0;
    const run = await start('payer');
    await reached(run, 'waiting:approval');
    const [id = ''] = await pendingIds(run);
    await expect(run.decide(id, { decision: 'edit' })).rejects.toMatchObject({ code: 'rejected' });
    const misfit = { decision: 'edit' as const, input: { cents: -70 } };
    await expect(run.decide(id, misfit)).rejects.toMatchObject({ code: 'invalid_input' });
    await run.decide(id, { decision: 'edit', input: { cents: 70 } });
    await run.result();
    expect(paid).toEqual([50, 70]);
    await expectReplay(run);
  });

  it('counts the first decision alone, and rejects decisions on calls that do not wait', async () => {
    const run = await start('payer');
    await reached(run, 'waiting:approval');
    const [id = ''] = await pendingIds(run);
    await expect(run.decide('nothing', { decision: 'allow' })).rejects.toMatchObject({
      code: 'rejected',
    });
    const decisions = await Promise.allSettled(
      Array.from({ length: 8 }, (_, k) =>
        run.decide(id, { decision: k % 2 === 0 ? 'allow' : 'deny' }),
      ),
    );
    expect(decisions.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await run.result();
    await expectReplay(run);
  });

  it('asks no more about a tool that was allowed for good', async () => {
    const run = await start('burner');
    await reached(run, 'waiting:approval');
    const [first = ''] = await pendingIds(run);
    await run.decide(first, { decision: 'allow', remember: true });
    expect((await run.result()).stopReason).toBe('completed');
    expect(resultTexts(await run.messages())).toEqual(['burnt', 'burnt', 'burnt']);
    await expectReplay(run);
  });

  it('holds twenty calls at once, decided in any order, by Update and by Signal', async () => {
    const run = await start('many');
    await reached(run, 'waiting:approval');
    const ids = await pendingIds(run);
    expect(ids).toHaveLength(20);
    const handle = harness.client.workflow.getHandle(run.id);
    for (const [index, id] of ids.toReversed().entries()) {
      const decision = index % 3 === 0 ? 'deny' : 'allow';
      if (index % 2 === 0) await run.decide(id, { decision });
      else await handle.signal('decide', { callId: id, decision });
    }
    await handle.signal('decide', { callId: 'nothing', decision: 'allow' }).catch(() => undefined);
    await run.result();
    const texts = resultTexts(await run.messages());
    expect(texts.filter((text) => text === 'burnt')).toHaveLength(13);
    expect(texts.filter((text) => text === 'denied by user')).toHaveLength(7);
    await expectReplay(run);
  });

  it('takes the default when nobody decides or answers in time', async () => {
    const run = await start('hasty');
    expect((await run.result()).stopReason).toBe('completed');
    expect(resultTexts(await run.messages())).toEqual([
      'allowed in the end',
      'denied: nobody decided in time',
      '(no answer)',
    ]);
    expect(await eventTypes(run)).toContain('approval-decision');
    await expectReplay(run);
  });

  it('lets go of waiting calls when the run is cancelled', async () => {
    const run = await start('many');
    await reached(run, 'waiting:approval');
    await run.cancel();
    expect((await run.result()).stopReason).toBe('cancelled');
    expect(resultTexts(await run.messages())).toEqual(
      Array.from({ length: 20 }, () => 'not executed: burn'),
    );
    await expectReplay(run);
  });
});

describe('an external tool', () => {
  it('is answered from outside while other calls run', async () => {
    started.length = 0;
    const run = await start('asker');
    await expect.poll(() => started, { timeout: 10_000 }).toEqual(['a']);
    const [id = ''] = await pendingIds(run);
    await expect(run.decide(id, { decision: 'allow' })).rejects.toMatchObject({ code: 'rejected' });
    await run.answer(id, { because: 42 }, { by: 'bob' });
    gate.open();
    await run.result();
    expect(resultTexts(await run.messages())).toEqual(['{"because":42}', 'slow: a']);
    gate.close();
    await expectReplay(run);
  });
});

describe('pause', () => {
  it('lets a run stand still at its next boundary, until it is resumed', async () => {
    started.length = 0;
    const run = await start('worker');
    await expect.poll(() => started, { timeout: 10_000 }).toEqual(['w']);
    await run.pause({ by: 'ann', reason: 'lunch' });
    await expect(run.pause()).rejects.toMatchObject({ code: 'rejected' });
    gate.open();
    await reached(run, 'paused');
    gate.close();
    const snapshot = await run.snapshot();
    expect(snapshot.state?.iteration).toBe(1);
    expect(explain(snapshot).join('\n')).toContain('Paused by ann: lunch.');
    const [listed] = await Array.fromAsync(
      harness.everloop.list({ query: `WorkflowId = '${run.id}'` }),
    );
    expect(listed).toMatchObject({ status: 'paused', memo: { waitingFor: 'lunch' } });
    await run.resume();
    await expect(run.resume()).rejects.toMatchObject({
      code: expect.stringMatching(/rejected|run_ending/),
    });
    expect((await run.result()).output).toBe('Two.');
    const types = await eventTypes(run);
    expect(types.filter((type) => type === 'paused' || type === 'resumed')).toEqual([
      'paused',
      'resumed',
    ]);
    await expectReplay(run);
  });

  it('can be cancelled while it stands still', async () => {
    started.length = 0;
    const run = await start('worker');
    await expect.poll(() => started, { timeout: 10_000 }).toEqual(['w']);
    await run.pause();
    gate.open();
    await reached(run, 'paused');
    gate.close();
    await run.cancel();
    expect((await run.result()).stopReason).toBe('cancelled');
    await expectReplay(run);
  });
});

describe('steer', () => {
  it('cuts the model off, keeps what it has said, and lets the message follow', async () => {
    const run = await start('speaker');
    await expect
      .poll(async () => (await run.snapshot()).open[0]?.status, { timeout: 10_000 })
      .toBe('started');
    await run.send('Say it another way.', { mode: 'steer', id: 's1' });
    expect(await run.send('Say it another way.', { mode: 'steer', id: 's1' })).toEqual({
      position: 1,
    });
    const result = await run.result();
    expect(result).toMatchObject({
      stopReason: 'completed',
      output: 'Another way.',
      iterations: 2,
    });
    const messages = await run.messages();
    expect(messages.map(({ role }) => role).slice(-2)).toEqual(['user', 'assistant']);
    const partial = messages.find(({ role }) => role === 'assistant');
    if (partial === undefined) throw new Error('nothing was kept');
    expect('A very long speech.'.startsWith(textOf(partial))).toBe(true);
    await expectReplay(run);
  });

  it('by Signal, while the model has said nothing: no message of it is kept', async () => {
    const run = await start('mute');
    await expect
      .poll(async () => (await run.snapshot()).open[0]?.status, { timeout: 10_000 })
      .toBe('started');
    const handle = harness.client.workflow.getHandle(run.id);
    await handle.signal('send', { message: 'Hurry.', mode: 'steer' });
    await expect
      .poll(async () => (await run.snapshot()).state?.iteration, { timeout: 10_000 })
      .toBe(2);
    await run.cancel();
    await run.result();
    expect((await run.messages()).map(({ role }) => role).slice(0, 2)).toEqual(['user', 'user']);
    await expectReplay(run);
  });
});

describe('interrupt', () => {
  it('calls running tools off, lets go of waiting ones, and is read next', async () => {
    started.length = 0;
    const run = await start('both');
    await expect.poll(() => started, { timeout: 10_000 }).toEqual(['b']);
    await expect.poll(() => pendingIds(run), { timeout: 10_000 }).toHaveLength(1);
    await run.send('Stop that.', { mode: 'interrupt' });
    const result = await run.result();
    expect(result).toMatchObject({ stopReason: 'completed', output: 'Changed.', iterations: 2 });
    const messages = await run.messages();
    const [first, second] = resultTexts(messages);
    expect(first).toContain('outcome unknown: slow');
    expect(second).toBe('not executed: burn');
    expect(messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
      'assistant',
    ]);
    await expectReplay(run);
  });
});
