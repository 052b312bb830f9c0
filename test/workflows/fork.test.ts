import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { defineHook } from '../../src/agents/define-hook.ts';
import { textOf } from '../../src/chat/text-of.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';
import { gate, holder, says } from './taken-back-agents.ts';

let started = 0;

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ n: z.int() }),
  effect: 'none',
  execute: ({ n }) => `seen ${n}`,
});
/** Looks at two things in each of `rounds` iterations, then says what the user said last. */
const looker = (name: string, rounds: number) =>
  scriptedModel(
    ({ messages }) => {
      const said = messages.findLast((message) => message.role === 'user');
      const answers = messages.filter((message) => message.role === 'assistant').length;
      if (answers >= rounds) return { text: `Done with: ${said && textOf(said)}` };
      const calls = [0, 1].map((i) => ({ name: 'look', input: { n: answers * 2 + i } }));
      return { text: `Looking ${answers}.`, calls };
    },
    { name },
  );

const blobs = createMemoryBlobStore();
let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({
    blobs,
    agents: {
      looker: defineAgent({
        model: looker('looker', 2),
        instructions: 'Look.',
        tools: [look],
        hooks: [
          defineHook({
            name: 'count',
            onStart: () => {
              started += 1;
            },
          }),
        ],
      }),
      long: defineAgent({
        model: looker('long', 120),
        instructions: 'Look.',
        tools: [look],
        maxIterations: 200,
      }),
      holder,
      other: defineAgent({
        model: scriptedModel(() => ({ text: 'I am another.' }), { name: 'other' }),
        instructions: 'Be another.',
        hooks: [
          defineHook({
            name: 'greet',
            onStart: () => ({ instructions: ['And be polite.'] }),
          }),
        ],
      }),
    },
  });
});
afterAll(() => harness.stop());

async function finished(agent: string, input: string): Promise<RunHandle> {
  const run = await harness.everloop.start(agent, { input });
  await run.result();
  return run;
}

async function only(forks: Promise<readonly RunHandle[]>): Promise<RunHandle> {
  const [fork] = await forks;
  if (fork === undefined) throw new Error('no fork');
  return fork;
}

describe('a fork of a closed run', () => {
  it('goes on from its end with what the user says next, and tells what it inherited', async () => {
    const run = await finished('looker', 'Go.');
    const before = started;
    const fork = await only(run.fork({ input: 'And now?' }));
    const result = await fork.result();
    expect(result).toMatchObject({
      stopReason: 'completed',
      output: 'Done with: And now?',
      iterations: 1,
    });
    const own = await run.messages();
    const messages = await fork.messages();
    expect(says(messages)).toEqual([
      ...says(own),
      'user: And now?',
      'assistant: Done with: And now?',
    ]);
    expect(messages.map(({ inherited }) => inherited === true)).toEqual([
      ...own.map(() => true),
      false,
      false,
    ]);
    // The same agent has had its start.
    expect(started).toBe(before);
    const { state } = await fork.snapshot();
    expect(state).toMatchObject({
      generation: 1,
      forkedFrom: { runId: run.id, messages: own.length },
      seedLength: own.length,
      modelCalls: 1,
      toolCalls: 0,
      title: 'Go.',
    });
    const events = await Array.fromAsync(fork.events());
    expect(events[0]).toMatchObject({
      type: 'run-start',
      data: { agent: 'looker', forkedFrom: { runId: run.id, messages: own.length } },
    });
    expect(events.flatMap((event) => (event.type === 'message' ? [event.data.index] : []))).toEqual(
      [own.length, own.length + 1],
    );
  });

  it('at a user message asks the model again, edited or not', async () => {
    const run = await finished('looker', 'Go.');
    const [again, edited] = await Promise.all([
      only(run.fork({ at: 0 })),
      only(run.fork({ at: 0, edit: 'Go elsewhere.' })),
    ]);
    expect(await again.result()).toMatchObject({ output: 'Done with: Go.', iterations: 3 });
    expect(await edited.result()).toMatchObject({ output: 'Done with: Go elsewhere.' });
    const [first] = await edited.messages();
    expect(first).toMatchObject({ role: 'user', inherited: true });
    expect(first?.id).not.toBe((await run.messages())[0]?.id);
  });

  it('inside a tool batch moves to its end, and keeps every result', async () => {
    const run = await finished('looker', 'Go.');
    const fork = await only(run.fork({ at: 2, edit: 'seen something else' }));
    await fork.result();
    const messages = await fork.messages();
    expect(messages.slice(0, 4).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
    ]);
    expect(JSON.stringify(messages[2])).toContain('seen something else');
    expect((await fork.snapshot()).state?.seedLength).toBe(4);
    const restored = (await harness.history(fork.id)).events.find(
      (event) => event.type === 'activity-completed',
    );
    expect(restored).toMatchObject({ result: { moved: { from: 2, to: 3 } } });
  });

  it('by the id of a message is the same as by its index', async () => {
    const run = await finished('looker', 'Go.');
    const messages = await run.messages();
    const fork = await only(run.fork({ at: messages[3]?.id ?? '' }));
    expect(await fork.result()).toMatchObject({ output: 'Done with: Go.', iterations: 2 });
    expect((await fork.snapshot()).state?.seedLength).toBe(4);
  });

  it('goes on with another agent, whose start it has', async () => {
    const run = await finished('looker', 'Go.');
    const fork = await only(run.fork({ at: 3, agent: 'other' }));
    expect(await fork.result()).toMatchObject({ output: 'I am another.' });
    const { state } = await fork.snapshot();
    expect(state?.agent?.instructions).toBe('Be another.\n\nAnd be polite.');
    expect(state?.start.agent).toBe('other');
  });

  it('is found by its origin, and is nobody’s part in lists', async () => {
    const run = await finished('looker', 'Go.');
    const forks = await run.fork({ at: 0, count: 3 });
    expect(new Set(forks.map(({ id }) => id)).size).toBe(3);
    await Promise.all(forks.map((fork) => fork.result()));
    const query = `EverloopForkedFrom = '${run.id}'`;
    await expect
      .poll(async () => (await Array.fromAsync(harness.everloop.list({ query }))).length)
      .toBe(3);
    const listed = await Array.fromAsync(harness.everloop.list({ query }));
    expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(forks.map(({ id }) => id)));
    expect(listed[0]).toMatchObject({ agent: 'looker', title: 'Go.', status: 'completed' });
  });

  it('stores nothing twice', async () => {
    const run = await finished('looker', 'Go.');
    const size = async () => (await Array.fromAsync(blobs.list())).length;
    const before = await size();
    const forks = await run.fork({ at: 3, count: 20 });
    await Promise.all(forks.map((fork) => fork.result()));
    // A list of its seed for all of them together, then what each has said itself.
    expect(await size()).toBeLessThanOrEqual(before + 1 + 2 * 20);
  });
});

describe('a fork of a run that is going on', () => {
  it('is a Workflow of its own: it stays when the run ends, and the run tells of it', async () => {
    gate.close();
    const run = await harness.everloop.start('holder', { input: 'Hold.' });
    await gate.reached(1);
    const [first, second] = await run.fork({ input: 'Never mind.', count: 2 });
    if (first === undefined || second === undefined) throw new Error('no forks');
    expect(await first.result()).toMatchObject({ output: 'Heard: Never mind.' });
    expect(await second.result()).toMatchObject({ output: 'Heard: Never mind.' });
    expect(says(await first.messages())).toEqual([
      'user: Hold.',
      'user: Never mind.',
      'assistant: Heard: Never mind.',
    ]);
    gate.open();
    await run.result();
    const told = (await Array.fromAsync(run.events())).flatMap((event) =>
      event.type === 'fork' ? [event.data] : [],
    );
    expect(told).toEqual([
      { runs: [first.id], at: 0 },
      { runs: [second.id], at: 0 },
    ]);
  });

  it('asked for as its last act begins all the same', async () => {
    gate.close();
    const run = await harness.everloop.start('holder', { input: 'Hold.' });
    await gate.reached(1);
    const [forks] = await Promise.all([run.fork({ input: 'Go on.' }), run.cancel()]);
    expect(await run.result()).toMatchObject({ stopReason: 'cancelled' });
    expect(await only(Promise.resolve(forks)).then((fork) => fork.result())).toMatchObject({
      output: 'Heard: Go on.',
    });
    gate.open();
  });

  it('can be asked for by Signal; one that cannot be made counts as refused', async () => {
    gate.close();
    const run = await harness.everloop.start('holder', { input: 'Hold.' });
    await gate.reached(1);
    const handle = harness.client.workflow.getHandle(run.id);
    await handle.signal('fork', { at: 99 });
    await handle.signal('fork', { input: 'By Signal.' });
    const query = `EverloopForkedFrom = '${run.id}'`;
    await expect
      .poll(async () => (await Array.fromAsync(harness.everloop.list({ query }))).length)
      .toBe(1);
    gate.open();
    await run.result();
    expect((await run.snapshot()).state?.refused).toBe(1);
  });
});

/** One for several tests: it takes long to be made, and forks leave it as it is. */
let long: Promise<RunHandle> | undefined;
function longRun(): Promise<RunHandle> {
  long ??= finished('long', 'Go.');
  return long;
}

describe('a fork of a run over many histories', () => {
  it('is made at any message, in whatever history or blob that lies', async () => {
    const run = await longRun();
    const messages = await run.messages();
    expect(messages.length).toBe(1 + 120 * 3 + 1);
    for (const at of [0, 3, 150, 300, messages.length - 2]) {
      const fork = await only(run.fork({ at, input: 'Stop here.', agent: 'other' }));
      expect(await fork.result()).toMatchObject({ output: 'I am another.' });
      expect(says(await fork.messages())).toEqual([
        ...says(messages.slice(0, at + 1)),
        'user: Stop here.',
        'assistant: I am another.',
      ]);
    }
  }, 180_000);

  it('forked again goes on from what it inherited', async () => {
    const run = await longRun();
    const fork = await only(run.fork({ at: 30, input: 'More.' }));
    await fork.result();
    const again = await only(fork.fork({ at: 12, agent: 'other' }));
    await again.result();
    expect(says(await again.messages())).toEqual([
      ...says((await run.messages()).slice(0, 13)),
      'assistant: I am another.',
    ]);
  }, 180_000);
});

describe('what cannot be forked', () => {
  it.each([
    [{ at: 99 }, 'not_found'],
    [{ at: 'nobody' }, 'not_found'],
    [{ at: -1 }, 'invalid_input'],
    [{ count: 0 }, 'invalid_input'],
    [{ count: 21 }, 'invalid_input'],
    [{}, 'input_required'],
    [{ at: 7 }, 'input_required'],
    [{ at: 0, edit: '' }, 'invalid_input'],
    [{ at: 0, edit: { role: 'assistant', parts: [{ kind: 'text', text: 'x' }] } }, 'invalid_input'],
  ] as const)('%j: %s, and nothing is started', async (options, code) => {
    const run = await finished('looker', 'Go.');
    await expect(run.fork(options as Parameters<RunHandle['fork']>[0])).rejects.toMatchObject({
      code,
    });
    const query = `EverloopForkedFrom = '${run.id}'`;
    expect(await Array.fromAsync(harness.everloop.list({ query }))).toEqual([]);
  });

  it('ends with a clear error where only its first Activity can know', async () => {
    const run = await finished('looker', 'Go.');
    const { temporalRunId } = await run.snapshot();
    const start = async (from: object) => {
      const id = crypto.randomUUID();
      await harness.client.workflow.start('everloopAgentRun', {
        workflowId: id,
        taskQueue: harness.taskQueue,
        args: [{ from: { previous: { temporalRunId, how: 'forked' }, ...from } }],
      });
      return await harness.everloop
        .run(id)
        .result()
        .then(
          ({ stopReason, ended }) => `${stopReason}: ${ended}`,
          (error: unknown) => String(error),
        );
    };
    const point = { runId: run.id, temporalRunId };
    for (const [from, text] of [
      [{ point: { ...point, message: 99 } }, 'error: .* has no message 99'],
      [{ point: { ...point, message: 7 } }, 'error: .* end with an answer'],
      [{ point: { ...point, iteration: 9 } }, 'error: .* has no end of iteration 9'],
      [{ point: { ...point, message: 0 }, edit: 7 }, 'EverloopError: .* input.from.edit'],
      [{ point }, 'EverloopError: .* must name an iteration or a message'],
      [{ point: { runId: 'nobody', temporalRunId, message: 0 } }, 'error: .* no longer'],
    ] as const) {
      expect(await start(from)).toMatch(new RegExp(text));
    }
  });
});
