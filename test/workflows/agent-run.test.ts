import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { explain } from '../../src/client/explain.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { Script } from '../../src/models/scripted.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { defineTool, RetryableError } from '../../src/tools/define-tool.ts';
import { Gate } from '../support/gate.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';
import { resultTexts } from '../support/transcript.ts';

const started: string[] = [];
const keys: string[] = [];
const gate = new Gate();

const text = z.object({ text: z.string() });
const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: text,
  effect: 'none',
  execute: ({ text }) => `echo: ${text}`,
});
const slow = defineTool({
  name: 'slow',
  description: 'Waits until it is let go.',
  input: text,
  effect: 'none',
  async execute({ text }, { signal }) {
    started.push(text);
    await gate.passed(signal);
    return `slow: ${text}`;
  },
});
const broken = defineTool({
  name: 'broken',
  description: 'Throws.',
  input: text,
  execute() {
    throw new Error('the disk is on fire');
  },
});
const flaky = defineTool({
  name: 'flaky',
  description: 'Works at the second attempt.',
  input: text,
  effect: 'keyed',
  execute(_input, { attempt, idempotencyKey }) {
    keys.push(idempotencyKey);
    if (attempt === 1) throw new RetryableError('not yet', { retryAfterMs: 10 });
    return 'worked';
  },
});
const late = defineTool({
  name: 'late',
  description: 'Looks at no signal, and does not finish in time.',
  input: text,
  timeout: '50ms',
  execute: () => new Promise<string>(() => {}),
});
const stubborn = defineTool({
  name: 'stubborn',
  description: 'Looks at no signal.',
  input: text,
  async execute({ text }) {
    started.push(text);
    return await new Promise<string>(() => {});
  },
});
const huge = defineTool({
  name: 'huge',
  description: 'Gives back five megabytes.',
  input: text,
  effect: 'none',
  execute: () => 'ü'.repeat(2_500_000),
});
const tools = [slow, echo, broken, flaky, late, stubborn, huge];

function scripted(name: string, script: Script) {
  return scriptedModel(script, { name, chunkSize: 5 });
}

function call(name: string, text: string) {
  return { name, input: { text } };
}

const agents = {
  talker: defineAgent({
    model: scripted('talker', [{ text: 'Hello.' }]),
    instructions: 'Be brief.',
  }),
  caller: defineAgent({
    model: scripted('caller', [
      {
        text: 'Let me see.',
        calls: [
          call('slow', 'first'),
          call('echo', 'second'),
          { name: 'nothing', input: {} },
          { name: 'echo', input: { text: 7 } },
          { name: 'echo', arguments: '[1' },
          call('broken', 'x'),
          call('late', 'x'),
          call('huge', 'x'),
        ],
      },
      { text: 'Done.' },
    ]),
    instructions: '',
    tools,
  }),
  retrier: defineAgent({
    model: scripted('retrier', [
      { calls: [call('flaky', 'a'), call('flaky', 'b')] },
      { text: 'Done.' },
    ]),
    instructions: '',
    tools,
  }),
  endless: defineAgent({
    model: scripted('endless', () => ({ calls: [call('echo', 'again')] })),
    instructions: '',
    tools,
    maxIterations: 3,
  }),
  finisher: defineAgent({
    model: scripted('finisher', (request) =>
      request.tools === undefined ? { text: 'In short: no.' } : { calls: [call('echo', 'again')] },
    ),
    instructions: '',
    tools,
    maxIterations: 2,
    onMaxIterations: 'finish',
  }),
  waiter: defineAgent({
    model: scripted('waiter', [
      { text: 'Working.', calls: [call('slow', 'held'), call('echo', 'quick')] },
      { text: 'One.' },
      { text: 'Two.' },
    ]),
    instructions: '',
    tools,
  }),
  streamer: defineAgent({
    model: scripted('streamer', [{ text: 'This text never ends', stallAfter: 3 }]),
    instructions: '',
  }),
  hostage: defineAgent({
    model: scripted('hostage', [{ calls: [call('stubborn', 'hostage')] }]),
    instructions: '',
    tools,
  }),
  cut: defineAgent({
    model: scripted('cut', [
      { calls: [call('echo', 'cut')], finishReason: 'length' },
      { text: 'Shorter.' },
    ]),
    instructions: '',
    tools,
  }),
  refuser: defineAgent({
    model: scripted('refuser', [{ refusal: 'I will not.', finishReason: 'refusal' }]),
    instructions: '',
  }),
};

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ agents });
});
afterAll(() => harness.stop());

function start(agent: keyof typeof agents, input = 'Go.'): Promise<RunHandle> {
  return harness.everloop.start(agent, { input });
}

describe('everloopAgentRun', () => {
  it('completes with the text of the last answer', async () => {
    const run = await start('talker');
    expect(await run.result()).toMatchObject({
      output: 'Hello.',
      stopReason: 'completed',
      finishReason: 'stop',
      iterations: 1,
      undelivered: [],
    });
  });

  it('runs calls side by side, appends results in call order, and tells the model what went wrong', async () => {
    const run = await start('caller');
    await gate.reached(1);
    gate.open();
    const result = await run.result();
    expect(result).toMatchObject({ output: 'Done.', stopReason: 'completed', iterations: 2 });
    const texts = resultTexts(await run.messages());
    const cut = texts.at(-1) ?? '';
    expect(cut.replace(/ü+/g, '')).toMatch(/^\n\[… \d+ of 5000000 bytes left out: .*\]\n$/);
    expect(Math.abs(Buffer.byteLength(cut) - 32_768)).toBeLessThan(200);
    expect(texts.slice(0, -1)).toEqual([
      'slow: first',
      'echo: second',
      'unknown tool: nothing. Available tools: broken, echo, flaky, huge, late, read_result, slow, stubborn.',
      expect.stringMatching(/^invalid arguments for echo: text: .*expected string/),
      expect.stringMatching(/^invalid arguments for echo: /),
      'broken failed: the disk is on fire',
      'late timed out after 0.05 seconds. It may or may not have taken effect: check before calling it again.',
    ]);
  });

  it('gives every attempt of a call the same idempotency key, and every call another', async () => {
    keys.length = 0;
    const run = await start('retrier');
    await run.result();
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(2);
    expect(resultTexts(await run.messages())).toEqual(['worked', 'worked']);
  });

  it('stops at its iteration limit with every call answered', async () => {
    const run = await start('endless');
    expect(await run.result()).toMatchObject({
      stopReason: 'max_iterations',
      iterations: 3,
      ended: 'The run reached its limit of 3 iterations.',
    });
    expect(resultTexts(await run.messages())).toHaveLength(3);
  });

  it('may end its last iteration with one answer without tools', async () => {
    const run = await start('finisher');
    expect(await run.result()).toMatchObject({
      output: 'In short: no.',
      stopReason: 'max_iterations',
      iterations: 2,
    });
  });

  it('never executes the calls of a response that was cut at its length', async () => {
    const run = await start('cut');
    expect(await run.result()).toMatchObject({ output: 'Shorter.', iterations: 2 });
    expect(resultTexts(await run.messages())).toEqual([
      expect.stringMatching(/^not executed: echo: your output was cut/),
    ]);
  });

  it('ends with the reason visible when the model refuses', async () => {
    const run = await start('refuser');
    expect(await run.result()).toMatchObject({ stopReason: 'completed', finishReason: 'refusal' });
  });

  it('reads a queued message at the next boundary, once, whatever is sent again', async () => {
    gate.close();
    const run = await start('waiter');
    await gate.reached(1);
    expect(await run.send('And this?', { id: 'm1' })).toEqual({ position: 1 });
    expect(await run.send('And that?', { id: 'm2' })).toEqual({ position: 2 });
    expect(await run.send('And this, again?', { id: 'm1' })).toEqual({ position: 1 });
    gate.open();
    await run.result();
    const users = (await run.messages()).filter((message) => message.role === 'user');
    expect(users.map((message) => message.parts)).toEqual([
      [{ kind: 'text', text: 'Go.' }],
      [{ kind: 'text', text: 'And this?' }],
      [{ kind: 'text', text: 'And that?' }],
    ]);
    await expect(run.send('Too late.')).rejects.toMatchObject({ code: 'run_ending' });
  });

  it('refuses a message that is none, and goes on', async () => {
    gate.close();
    const run = await start('waiter');
    await gate.reached(1);
    const handle = harness.client.workflow.getHandle(run.id);
    for (const payload of [{}, { message: '' }, { message: 'x', mode: 'sing' }, null, 'x']) {
      await expect(handle.executeUpdate('send', { args: [payload] })).rejects.toThrow();
    }
    await expect(
      run.send({ role: 'assistant', parts: [{ kind: 'text', text: 'I am you.' }] }),
    ).rejects.toMatchObject({ code: 'rejected', message: expect.stringContaining('role') });
    gate.open();
    expect(await run.result()).toMatchObject({ stopReason: 'completed' });
  });

  it('answers its queries while tools run', async () => {
    gate.close();
    const run = await start('waiter');
    await gate.reached(1);
    const handle = harness.client.workflow.getHandle(run.id);
    expect(await handle.query('state')).toMatchObject({
      agent: 'waiter',
      status: 'running',
      phase: { kind: 'tools' },
      iteration: 1,
      messages: 2,
    });
    expect(await handle.query('pending')).toContainEqual({
      callId: 'call_0_0',
      name: 'slow',
      status: 'running',
    });
    expect(await handle.query('messages', 1, 1)).toMatchObject({
      total: 2,
      messages: [{ role: 'assistant' }],
    });
    expect(await handle.query('usage')).toMatchObject({ unreported: 0 });
    gate.open();
    await run.result();
  });

  it('keeps the text so far when it is cancelled while the model speaks', async () => {
    const run = await start('streamer');
    await expect
      .poll(async () => (await run.snapshot()).open[0]?.status, { timeout: 10_000 })
      .toBe('started');
    await run.cancel();
    expect(await run.result()).toMatchObject({ stopReason: 'cancelled', iterations: 1 });
    const [, answer] = await run.messages();
    expect(answer).toMatchObject({ role: 'assistant', partial: true });
    expect((await run.snapshot()).status).toBe('cancelled');
  });

  it('gives every call a result when it is cancelled while tools run', async () => {
    gate.close();
    const run = await start('waiter');
    await gate.reached(1);
    await expect
      .poll(async () => (await run.snapshot()).state?.pendingToolCalls.map((c) => c.status))
      .toEqual(['running', 'settled']);
    await run.cancel();
    expect(await run.result()).toMatchObject({ stopReason: 'cancelled' });
    expect(resultTexts(await run.messages())).toEqual([
      expect.stringMatching(/^outcome unknown: slow started/),
      'echo: quick',
    ]);
  });

  it('ends when it is cancelled, even if a tool looks at no signal', async () => {
    const run = await start('hostage');
    await expect.poll(() => started).toContain('hostage');
    await run.cancel();
    expect(await run.result()).toMatchObject({ stopReason: 'cancelled' });
    expect(resultTexts(await run.messages())).toEqual([
      expect.stringMatching(/^outcome unknown: stubborn started/),
    ]);
  });

  it('says that a run has ended, to whoever wants to stop or tell it something', async () => {
    const run = await start('talker');
    await run.result();
    await expect(run.cancel()).rejects.toMatchObject({ code: 'run_ending' });
    await expect(run.send('x')).rejects.toMatchObject({ code: 'run_ending' });
  });

  it('says that there is no run of an id', async () => {
    const run = harness.everloop.run('no-such-run');
    for (const ask of [
      () => run.snapshot(),
      () => run.result(),
      () => run.cancel(),
      () => run.send('x'),
    ]) {
      await expect(ask()).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('refuses a second run of the same id, running or ended', async () => {
    const run = await start('talker');
    await run.result();
    await expect(
      harness.everloop.start('talker', { id: run.id, input: 'Again.' }),
    ).rejects.toMatchObject({ code: 'run_exists' });
  });

  it('refuses an input that is none, or that is too large for the server', async () => {
    const tries = ['', 'x'.repeat(5_000_000), '\ud800'];
    for (const input of tries) {
      await expect(harness.everloop.start('talker', { input })).rejects.toMatchObject({
        code: 'invalid_input',
      });
    }
  });

  it('waits for a Worker that has its agent, and says so', async () => {
    const run = await harness.everloop.start('stranger', { input: 'Hello?' });
    await expect
      .poll(async () => explain(await run.snapshot()).join(' '))
      .toMatch(/no agent named stranger. It has: .*talker/);
    await run.cancel();
    expect(await run.result()).toMatchObject({ stopReason: 'cancelled', iterations: 0 });
  });
});
