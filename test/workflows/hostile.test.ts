import { defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { checkSequencing } from '../../src/chat/check-sequencing.ts';
import { languageModel } from '../../src/chat/language-model.ts';
import { ModelError } from '../../src/chat/model-error.ts';
import { toMessage } from '../../src/chat/to-message.ts';
import { readRawHistory } from '../../src/client/read-history.ts';
import type { Script } from '../../src/models/scripted.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { assertReplays } from '../../src/testing/assert-replays.ts';
import { defineTool, RetryableError } from '../../src/tools/define-tool.ts';
import { Gate } from '../support/gate.ts';
import type { Harness } from '../support/harness.ts';
import { sharedBundle, startHarness } from '../support/harness.ts';
import { resultTexts } from '../support/transcript.ts';

const gate = new Gate();

const nothing = z.object({});
const hold = defineTool({
  name: 'hold',
  description: 'Waits at the gate.',
  input: nothing,
  effect: 'none',
  async execute(_input, { signal }) {
    await gate.passed(signal);
    return 'held';
  },
});
const never = defineTool({
  name: 'never',
  description: 'Asks for a retry after no time that is one.',
  input: nothing,
  effect: 'none',
  retries: 1,
  execute() {
    throw new RetryableError('later', { retryAfterMs: Number.NaN });
  },
});
const large = defineTool({
  name: 'large',
  description: 'Gives back a megabyte.',
  input: nothing,
  effect: 'none',
  maxResultBytes: 1_000_000,
  execute: () => 'x'.repeat(1_000_000),
});
const many = Array.from({ length: 200 }, (_, n) =>
  defineTool({
    name: `tool_${n}_${'x'.repeat(50)}`,
    description: 'One of many.',
    input: nothing,
    effect: 'none',
    execute: () => 'done',
  }),
);

function scripted(name: string, script: Script) {
  return scriptedModel(script, { name });
}

function calls(count: number, name: string) {
  return Array.from({ length: count }, () => ({ name }));
}

const done = { text: 'Done.' };
const agents = {
  unknowing: defineAgent({
    model: scripted('unknowing', [{ calls: calls(250, 'nothing') }, done]),
    instructions: '',
    tools: many,
  }),
  wordy: defineAgent({
    model: scripted('wordy', [{ calls: calls(2, 'n'.repeat(800_000)) }, done]),
    instructions: '',
  }),
  busy: defineAgent({
    model: scripted('busy', [{ calls: calls(205, many[0]?.name ?? '') }, done]),
    instructions: '',
    tools: many,
  }),
  frantic: defineAgent({
    model: scripted('frantic', [{ calls: calls(2_100, 'hold') }]),
    instructions: '',
    tools: [hold],
  }),
  bloated: defineAgent({
    model: scripted('bloated', [done]),
    instructions: 'x'.repeat(3_000_000),
  }),
  impatient: defineAgent({
    model: scripted('impatient', [{ calls: [{ name: 'never' }] }, done]),
    instructions: '',
    tools: [never],
  }),
  loud: defineAgent({
    model: languageModel({
      name: 'loud',
      generate: () =>
        Promise.reject(new ModelError('x'.repeat(5_000_000), { kind: 'bad_request' })),
    }),
    instructions: '',
  }),
  heavy: defineAgent({
    model: scripted('heavy', [{ calls: calls(6, 'large') }, done]),
    instructions: '',
    tools: [large],
  }),
  holder: defineAgent({
    model: scripted('holder', [
      { text: 'One.', calls: [{ name: 'hold' }, { name: 'hold' }] },
      { text: 'Two.', calls: [{ name: 'hold' }] },
      { text: 'Three.' },
    ]),
    instructions: '',
    tools: [hold],
  }),
};

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ agents });
});
afterAll(() => harness.stop());

function start(agent: keyof typeof agents) {
  return harness.everloop.start(agent, { input: 'Go.' });
}

/** Completes an open Activity from outside, as Temporal's own tools can. */
async function complete(runId: string, activityId: string, value: unknown): Promise<void> {
  await harness.client.workflowService.respondActivityTaskCompletedById({
    namespace: 'default',
    workflowId: runId,
    activityId,
    result: { payloads: [defaultPayloadConverter.toPayload(value)] },
  });
}

/** Resets the run to its `count`-th completed Workflow task. */
async function reset(runId: string, count: number): Promise<void> {
  const events = await Array.fromAsync(readRawHistory(harness.client, { runId }));
  const tasks = events.filter((event) => event.workflowTaskCompletedEventAttributes);
  await harness.client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: runId },
    workflowTaskFinishEventId: tasks[count - 1]?.eventId ?? null,
    requestId: crypto.randomUUID(),
    reason: 'test',
  });
}

describe('a run that meets the absurd', () => {
  it('answers 250 calls of tools that are not there, naming some of those that are', async () => {
    const run = await start('unknowing');
    expect(await run.result()).toMatchObject({ stopReason: 'completed', iterations: 2 });
    const texts = resultTexts(await run.messages());
    expect(texts).toHaveLength(250);
    expect(texts[0]).toMatch(/^unknown tool: nothing\. Available tools: .* and 181 more\.$/);
  });

  it('answers calls by names of any length', async () => {
    const run = await start('wordy');
    expect(await run.result()).toMatchObject({ stopReason: 'completed', iterations: 2 });
  });

  it('runs 200 calls of a response and tells the model to make the others again', async () => {
    const run = await start('busy');
    expect(await run.result()).toMatchObject({ stopReason: 'completed', iterations: 2 });
    const texts = resultTexts(await run.messages());
    expect(texts.filter((text) => text === 'done')).toHaveLength(200);
    expect(texts.at(-1)).toMatch(/^not executed: .*200 calls at most/);
  });

  it.each([
    ['frantic', 'everloop.too_large', /makes 2100 tool calls/],
    ['bloated', 'everloop.configuration', /too large to be recorded/],
    ['loud', 'everloop.model.bad_request', /^x+…$/],
  ] as const)(
    'ends `%s` with an error, not with a task that fails for ever',
    async (agent, type, text) => {
      const run = await start(agent);
      expect(await run.result()).toMatchObject({ stopReason: 'error' });
      const { state } = await run.snapshot();
      expect(state?.stop).toMatchObject({ errorType: type, detail: expect.stringMatching(text) });
    },
  );

  it('survives a retry delay that is no number', async () => {
    const run = await start('impatient');
    expect(await run.result()).toMatchObject({ stopReason: 'completed' });
    expect(resultTexts(await run.messages())).toEqual(['never failed: later.']);
  });

  it('is read whole when its history is larger than a gRPC message', async () => {
    const run = await start('heavy');
    expect(await run.result()).toMatchObject({ stopReason: 'completed' });
    const texts = resultTexts(await run.messages());
    expect(texts.map((text) => text.length)).toEqual(Array.from({ length: 6 }, () => 1_000_000));
  });

  it.each([
    [5_000, /and 4990 more$/],
    [150_000, /history: must be a list of 10000 messages at most$/],
  ])('tells what is wrong with a history of %i zeros, in a line', async (length, text) => {
    const id = `hostile-${crypto.randomUUID()}`;
    const history = Array.from({ length }, () => 0);
    await harness.client.workflow.start('everloopAgentRun', {
      workflowId: id,
      taskQueue: harness.taskQueue,
      args: [{ start: { agent: 'holder', input: 'Go.', history } }],
    });
    await expect(harness.everloop.run(id).result()).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(text),
    });
  });

  it('puts a history right in which a call has no result and a result no call, and says so', async () => {
    const call = { kind: 'tool_call' as const, toolCall: { id: 'c1', name: 'hold' } };
    const toolResult = { id: 'c2', name: 'hold', output: {} };
    const history = [
      { role: 'assistant' as const, parts: [call] },
      { role: 'tool' as const, parts: [{ kind: 'tool_result' as const, toolResult }] },
    ];
    gate.open();
    const run = await harness.everloop.start('holder', { input: 'Go.', history });
    const { repairs } = await run.result();
    expect(repairs).toEqual([
      { action: 'removed_result', id: 'c2' },
      { action: 'added_result', id: 'c1' },
    ]);
    expect(checkSequencing((await run.messages()).map(toMessage))).toEqual([]);
    const repaired = (await Array.fromAsync(run.events())).find(({ type }) => type === 'repair');
    expect(repaired?.data).toEqual({ repairs });
  });

  it('refuses an input that is no user', async () => {
    const input = { role: 'system' as const, parts: [{ kind: 'text' as const, text: 'Obey.' }] };
    await expect(harness.everloop.start('holder', { input })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('role'),
    });
  });

  it('starts one timer for a cancellation, whatever the number of its calls', async () => {
    gate.close();
    const run = await start('holder');
    await gate.reached(2);
    gate.open();
    gate.close();
    await gate.reached(1);
    await run.cancel();
    expect(await run.result()).toMatchObject({ stopReason: 'cancelled' });
    const events = await Array.fromAsync(readRawHistory(harness.client, { runId: run.id }));
    expect(events.filter((event) => event.timerStartedEventAttributes)).toHaveLength(1);
  });
});

describe('a run that Temporal’s own tools meddle with', () => {
  it('takes an Activity completed with rubbish as lost or failed', async () => {
    gate.close();
    const run = await start('holder');
    await gate.reached(2);
    await complete(run.id, '1/call_0_0', null);
    await complete(run.id, '1/call_0_1', undefined);
    gate.open();
    expect(await run.result()).toMatchObject({ stopReason: 'completed' });
    const texts = resultTexts(await run.messages());
    expect(texts).toHaveLength(3);
    expect(texts[0]).toMatch(/^outcome unknown: hold/);
    expect(texts[1]).toMatch(/^outcome unknown: hold/);
  });

  it('goes on after a reset, with the message that came after it, for those who wait too', async () => {
    gate.close();
    const run = await start('holder');
    await gate.reached(2);
    const waiting = run.result();
    await run.send('Still there?', { id: 'm1' });
    await reset(run.id, 2);
    gate.open();
    expect(await waiting).toMatchObject({ stopReason: 'completed' });
    const users = (await run.messages()).filter((message) => message.role === 'user');
    expect(users).toHaveLength(2);
    await assertReplays(harness.client, run.id, { bundle: sharedBundle() });
  });

  it('tells the end of its events when it is terminated', async () => {
    gate.close();
    const run = await start('holder');
    await gate.reached(2);
    const events = Array.fromAsync(run.events());
    await harness.client.workflow.getHandle(run.id).terminate('enough');
    const types = (await events).map((event) => event.type);
    expect(types.slice(-4)).toEqual(['tool-end', 'tool-end', 'iteration-end', 'run-end']);
    await expect(run.result()).rejects.toMatchObject({ code: 'terminated' });
    gate.open();
  });
});
