import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../../src/chat/text-of.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { temporalRuns } from '../../src/client/temporal-runs.ts';
import { EverloopError } from '../../src/everloop-error.ts';
import type { RunEvent } from '../../src/loop/events.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';
import { account, gate, says, takenBackAgents } from './taken-back-agents.ts';

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
  harness = await startHarness({ blobs: moody, agents: takenBackAgents });
});
afterAll(() => harness.stop());

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
    account.isClosed = true;
    await run.rewind({ toIteration: 0, input: 'Again.' });
    await run.result();
    account.isClosed = false;
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
    account.isClosed = true;
    const run = await harness.everloop.start('payer', { input: 'Go.' });
    expect(await run.result()).toMatchObject({ stopReason: 'error' });
    account.isClosed = false;
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
