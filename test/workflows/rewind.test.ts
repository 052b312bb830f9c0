import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { task } from '../../src/abilities/task/task.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { textOf } from '../../src/chat/text-of.ts';
import type { TranscriptMessage } from '../../src/chat/transcript-message.ts';
import { readRawHistory } from '../../src/client/read-history.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { temporalRuns } from '../../src/client/temporal-runs.ts';
import { EverloopError } from '../../src/everloop-error.ts';
import type { RunEvent } from '../../src/loop/events.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { Gate } from '../support/gate.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';

const gate = new Gate();
let isBroken = false;
const paid: number[] = [];

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ cents: z.int() }),
  effect: 'keyed',
  execute: ({ cents }) => {
    paid.push(cents);
    return `paid ${cents}`;
  },
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
      if (isBroken && answers === rounds) {
        return { error: { kind: 'bad_request', message: 'the account is closed' } };
      }
      if (answers >= rounds) return { text: `Done with: ${said && textOf(said)}` };
      return { text: `Paying ${answers}.`, calls: [{ name: 'pay', input: { cents: answers } }] };
    },
    { name },
  );

/** A store whose writes can be made to fail, until it has failed often enough. */
const blobs = createMemoryBlobStore();
let failures = 0;
const moody: BlobStore = {
  ...blobs,
  async put(bytes, options) {
    if (failures === 0) return await blobs.put(bytes, options);
    failures -= 1;
    throw new EverloopError('blob_store_failed', 'the disk is full', { hint: 'make room' });
  },
};

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({
    blobs: moody,
    agents: {
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
      holder: defineAgent({
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
      }),
    },
  });
});
afterAll(() => harness.stop());

const says = (messages: readonly TranscriptMessage[]) =>
  messages.map((message) => `${message.role}: ${textOf(message)}`);

async function finished(agent: string, input = 'Go.'): Promise<RunHandle> {
  const run = await harness.everloop.start(agent, { input });
  await run.result();
  return run;
}

/** All events, which must be the same from whatever event one goes on. */
async function eventsOf(run: RunHandle): Promise<readonly RunEvent[]> {
  const events = await Array.fromAsync(run.events());
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  return events;
}

describe('rewinding a run that has ended', () => {
  it('goes on from the end of an iteration under the same id', async () => {
    const run = await finished('payer');
    const before = await run.snapshot();
    const plan = await run.rewind({ toIteration: 1, input: 'Enough.' });
    expect(plan).toMatchObject({
      status: 'completed',
      how: 'rewound',
      to: { iteration: 1, messages: 3 },
      discarded: {
        iterations: 2,
        messages: 3,
        calls: [
          {
            name: 'pay',
            arguments: '{"cents":1}',
            iteration: 2,
            effect: 'keyed',
            outcome: 'finished',
          },
        ],
        received: 0,
      },
      children: [],
    });
    const result = await run.result();
    expect(result).toMatchObject({ output: 'Done with: Enough.', iterations: 3 });
    expect(says(await run.messages())).toEqual([
      'user: Go.',
      'assistant: Paying 0.',
      'tool: ',
      'user: Enough.',
      'assistant: Paying 1.',
      'tool: ',
      'assistant: Done with: Enough.',
    ]);
    const { state } = await run.snapshot();
    expect(state?.generation).toBe(2);
    // What was spent is spent, in calls and in tokens.
    expect(state?.modelCalls).toBe(3 + 2);
    expect(state?.toolCalls).toBe(2 + 1);
    expect(result.usage.inputTokens).toBeGreaterThan(before.state?.usage.inputTokens ?? 0);
    const ids = (await run.messages()).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('to before its first iteration, with its first message edited, begins it again', async () => {
    const run = await finished('payer');
    await run.rewind({ toIteration: 0, edit: 'Go elsewhere.' });
    expect(await run.result()).toMatchObject({ output: 'Done with: Go elsewhere.', iterations: 3 });
    expect(says(await run.messages())[0]).toBe('user: Go elsewhere.');
  });

  it('to a message keeps what comes before it, and results with their calls', async () => {
    const run = await finished('payer');
    const [, asked] = await run.messages();
    const plan = await run.rewind({ at: asked?.id ?? '', input: 'Next.' });
    expect(plan).toMatchObject({ moved: { from: 1, to: 2 }, to: { iteration: 1, messages: 3 } });
    expect(await run.result()).toMatchObject({ output: 'Done with: Next.' });
  });

  it('to its end goes on with what the user says next', async () => {
    const run = await finished('payer');
    await run.rewind({ toIteration: 3, input: 'And now?' });
    expect(await run.result()).toMatchObject({ output: 'Done with: And now?', iterations: 4 });
    expect((await run.messages()).length).toBe(8);
  });

  it('tells the model of effects that are left behind, if it is wanted', async () => {
    const run = await finished('payer');
    await run.rewind({ toIteration: 0, tellModel: true });
    await run.result();
    const [, note] = await run.messages();
    expect(note?.role).toBe('user');
    expect(note && textOf(note)).toMatch(
      /they are not in the conversation any more.*\n- pay \{"cents":0\}\n- pay \{"cents":1\}\n/,
    );
  });

  it('can be done again and again, and what was left behind stays readable', async () => {
    const run = await finished('payer');
    await run.rewind({ toIteration: 1, input: 'Second.' });
    await run.result();
    await run.rewind({ at: 3, edit: 'Third.' });
    await run.result();
    await run.rewind({ toIteration: 0 });
    expect(await run.result()).toMatchObject({ output: 'Done with: Go.' });
    const discarded = await run.discarded();
    expect(
      discarded.map(({ how, toIteration, lastIteration }) => [how, toIteration, lastIteration]),
    ).toEqual([
      ['rewound', 1, 3],
      ['rewound', 1, 3],
      ['rewound', 0, 3],
    ]);
    expect(discarded.map(({ messages }) => says(messages).at(0))).toEqual([
      'assistant: Paying 1.',
      'user: Second.',
      'assistant: Paying 0.',
    ]);
    expect(discarded.map(({ calls }) => calls.length)).toEqual([1, 1, 2]);
    expect((await run.snapshot()).state?.generation).toBe(4);
  });

  it('is followed by whoever watches, from any event on, each told once', async () => {
    const run = await finished('payer');
    await run.rewind({ toIteration: 1, input: 'Enough.' });
    await run.result();
    const events = await eventsOf(run);
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === 'run-end').length).toBe(2);
    expect(types.at(-1)).toBe('run-end');
    const [rewound] = events.filter(({ type }) => type === 'rewound');
    expect(rewound?.data).toEqual({
      generation: 2,
      temporalRunId: (await temporalRuns(harness.client, run.id)).at(-1),
      how: 'rewound',
      toIteration: 1,
      messages: 3,
    });
    for (const at of [0, 5, types.indexOf('run-end'), types.indexOf('rewound'), types.length - 2]) {
      const after = events[at]?.id;
      if (after === undefined) throw new Error('no event');
      expect(await Array.fromAsync(run.events({ after }))).toEqual(events.slice(at + 1));
    }
  });

  it('leaves one run in lists', async () => {
    const run = await finished('payer');
    await run.rewind({ toIteration: 0, input: 'Again.' });
    await run.result();
    isBroken = true;
    await run.rewind({ toIteration: 0, input: 'Again.' });
    await run.result();
    isBroken = false;
    const query = `WorkflowId = '${run.id}'`;
    const listed = async (status?: string) => {
      const filter = status === undefined ? { query } : { query, status };
      return (await Array.fromAsync(harness.everloop.list(filter))).map((each) => each.status);
    };
    await expect.poll(() => listed('error')).toEqual(['error']);
    expect(await listed()).toEqual(['error']);
    expect(await listed('completed')).toEqual([]);
  });
});

describe('rewinding a run that is going on', () => {
  it('ends what is in flight and says so; results and watchers follow', async () => {
    gate.close();
    const run = await harness.everloop.start('holder', { input: 'Hold.' });
    await gate.reached(1);
    const result = run.result();
    const events = Array.fromAsync(run.events());
    const plan = await run.rewind({ toIteration: 0, edit: 'Never mind.' });
    expect(plan).toMatchObject({
      to: { iteration: 0, messages: 1 },
      discarded: { iterations: 1, messages: 1, calls: [{ name: 'hold', outcome: 'unknown' }] },
    });
    expect(await result).toMatchObject({ output: 'Heard: Never mind.', stopReason: 'completed' });
    const told = await events;
    const types = told.map(({ type }) => type);
    expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
    expect(types.filter((type) => type === 'run-end')).toHaveLength(1);
    expect(types.filter((type) => type === 'tool-start')).toHaveLength(1);
    expect(types.filter((type) => type === 'tool-end')).toHaveLength(1);
    expect(types.indexOf('tool-end')).toBeLessThan(types.indexOf('rewound'));
    gate.open();
  }, 60_000);

  it('twice within a second does both, one after the other', async () => {
    gate.close();
    const run = await harness.everloop.start('holder', { input: 'Hold.' });
    await gate.reached(1);
    await run.rewind({ toIteration: 0 });
    await run.rewind({ toIteration: 0, edit: 'Once more.' });
    expect(await run.result()).toMatchObject({ output: 'Heard: Once more.' });
    expect((await run.snapshot()).state?.generation).toBe(3);
    expect((await run.discarded())[0]).toMatchObject({ how: 'rewound', toIteration: 0 });
    gate.open();
  }, 60_000);

  it('by two at once is decided by the later of them', async () => {
    const run = await finished('payer');
    await Promise.all([
      run.rewind({ toIteration: 1, input: 'One.' }),
      run.rewind({ toIteration: 1, input: 'Two.' }),
    ]);
    expect((await run.result()).output).toMatch(/^Done with: (One|Two)\.$/);
  });
});

describe('a run with sub-agents', () => {
  it('is taken back only with them, if somebody says so; they are not taken back themselves', async () => {
    gate.close();
    const run = await harness.everloop.start('boss', { input: 'Go.' });
    await gate.reached(1);
    const children = (await Array.fromAsync(harness.everloop.list({ parent: run.id }))).map(
      ({ id }) => id,
    );
    const [child = ''] = children;
    await expect(harness.everloop.run(child).rewind({ toIteration: 0 })).rejects.toMatchObject({
      code: 'rejected',
      message: expect.stringContaining(`is a sub-agent of ${run.id}`),
    });
    await expect(run.rewind({ toIteration: 0 })).rejects.toMatchObject({
      code: 'rejected',
      message: expect.stringContaining(child),
    });
    expect((await run.rewindPlan({ toIteration: 0 })).children).toEqual(children);
    await run.rewind({ toIteration: 0, force: true });
    await expect(harness.everloop.run(child).result()).rejects.toMatchObject({
      code: 'terminated',
    });
    gate.open();
    expect(await run.result()).toMatchObject({ output: 'All done.' });
  }, 120_000);
});

describe('a blob store that fails', () => {
  it('keeps a run waiting at the point that it goes back to, until it works again', async () => {
    const run = await finished('payer');
    failures = 2;
    await run.rewind({ toIteration: 1, input: 'Enough.' });
    expect(await run.result()).toMatchObject({ output: 'Done with: Enough.' });
    expect(failures).toBe(0);
  });
});

describe('retrying', () => {
  it('takes a failed run back to its last good boundary', async () => {
    isBroken = true;
    const run = await harness.everloop.start('payer', { input: 'Go.' });
    expect(await run.result()).toMatchObject({ stopReason: 'error' });
    isBroken = false;
    const plan = await run.retry();
    expect(plan).toMatchObject({
      how: 'retried',
      status: 'error',
      to: { iteration: 2, messages: 5 },
      discarded: { messages: 0, calls: [] },
    });
    expect(await run.result()).toMatchObject({ output: 'Done with: Go.', iterations: 3 });
    const [rewound] = (await eventsOf(run)).filter(({ type }) => type === 'rewound');
    expect(rewound?.data).toMatchObject({ how: 'retried', toIteration: 2 });
  });

  it('of a run at its limit of iterations takes a higher one', async () => {
    const run = await finished('endless');
    await expect(run.retry()).rejects.toMatchObject({ code: 'rejected' });
    await run.retry({ maxIterations: 4 });
    expect(await run.result()).toMatchObject({ stopReason: 'max_iterations', iterations: 4 });
  });

  it('of a terminated or cancelled run goes on from before what was in flight', async () => {
    gate.close();
    const run = await harness.everloop.start('holder', { input: 'Hold.' });
    await gate.reached(1);
    await run.terminate('stuck');
    gate.open();
    await run.retry({ input: 'Go on.' });
    expect(await run.result()).toMatchObject({ output: 'Heard: Go on.' });
  });

  it('is refused where nothing has failed', async () => {
    const run = await finished('payer');
    await expect(run.retry()).rejects.toMatchObject({ code: 'rejected' });
  });
});

describe('a run over many histories', () => {
  it('is taken back to any of them, replays whole, and can be forked afterwards', async () => {
    const run = await finished('long');
    const messages = await run.messages();
    expect((await temporalRuns(harness.client, run.id)).length).toBeGreaterThan(1);
    const plan = await run.rewind({ toIteration: 20, input: 'From here.' });
    expect(plan.discarded).toMatchObject({ iterations: 111, messages: messages.length - 41 });
    expect(plan.discarded.calls.length).toBe(110);
    expect(await run.result()).toMatchObject({ output: 'Done with: From here.' });
    const now = await run.messages();
    expect(now.slice(0, 41)).toEqual(messages.slice(0, 41));
    const events = await eventsOf(run);
    expect(events.filter(({ type }) => type === 'run-start')).toHaveLength(1);
    const verdict = await run.replay();
    expect(verdict).toMatchObject({ ok: true, iterations: 131 });
    const [fork] = await run.fork({ at: 40 });
    expect(await fork?.result()).toMatchObject({ output: 'Done with: Go.' });
  }, 180_000);
});

describe('what cannot be rewound', () => {
  it.each([
    [{ toIteration: 9 }, 'not_found'],
    [{ toIteration: -1 }, 'invalid_input'],
    [{ at: 99 }, 'not_found'],
    [{ at: 5 }, 'input_required'],
    [{ toIteration: 3 }, 'input_required'],
    [{}, 'invalid_input'],
    [{ toIteration: 1, at: 1 }, 'invalid_input'],
    [{ at: 0, edit: '' }, 'invalid_input'],
    [{ toIteration: 1, input: '' }, 'invalid_input'],
  ] as const)('%j: %s, and the run stays as it is', async (options, code) => {
    const run = await finished('payer');
    const before = await run.snapshot();
    await expect(run.rewind(options)).rejects.toMatchObject({ code });
    expect((await run.snapshot()).temporalRunId).toBe(before.temporalRunId);
  });

  it('further than the server keeps its histories: it says since when it does', async () => {
    const run = await finished('long');
    const [oldest = ''] = await temporalRuns(harness.client, run.id);
    await harness.client.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: run.id, runId: oldest },
    });
    await expect
      .poll(async () => (await temporalRuns(harness.client, run.id)).includes(oldest), {
        timeout: 150_000,
      })
      .toBe(false);
    await expect(run.rewind({ toIteration: 1 })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/since \d{4}-\d\d-\d\dT\S+Z only/),
    });
    // A fork needs no more than the messages.
    const [fork] = await run.fork({ at: 2 });
    expect(await fork?.result()).toMatchObject({ output: 'Done with: Go.' });
  }, 180_000);
});

describe('a run reset with Temporal’s own tools', () => {
  it('loads, after a rewind and as a fork too', async () => {
    const run = await finished('payer');
    await run.rewind({ toIteration: 1, input: 'Enough.' });
    await run.result();
    const [fork] = await run.fork({ input: 'A fork.' });
    if (fork === undefined) throw new Error('no fork');
    await fork.result();
    for (const reset of [run, fork]) {
      const before = await reset.result();
      const { temporalRunId } = await reset.snapshot();
      const events = await Array.fromAsync(readRawHistory(harness.client, { runId: reset.id }));
      const task = events.findLast((event) => event.workflowTaskCompletedEventAttributes);
      await harness.client.workflowService.resetWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId: reset.id, runId: temporalRunId },
        workflowTaskFinishEventId: task?.eventId ?? null,
        requestId: crypto.randomUUID(),
        reason: 'test',
      });
      expect((await reset.result()).output).toBe(before.output);
      expect((await reset.snapshot()).temporalRunId).not.toBe(temporalRunId);
      expect(says(await reset.messages()).at(-1)).toBe(`assistant: ${before.output}`);
      await eventsOf(reset);
    }
  });
});
