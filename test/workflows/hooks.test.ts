import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentDefinition } from '../../src/agents/define-agent.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Hook } from '../../src/agents/define-hook.ts';
import { defineHook } from '../../src/agents/define-hook.ts';
import { userMessage } from '../../src/chat/create-message.ts';
import type { LanguageModel } from '../../src/chat/language-model.ts';
import { languageModel } from '../../src/chat/language-model.ts';
import type { Request } from '../../src/chat/request.ts';
import { textOf } from '../../src/chat/text-of.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { defineTool, RetryableError } from '../../src/tools/define-tool.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';
import { resultsOf } from '../support/transcript.ts';

/** What each agent's model was asked, by the agent's name. */
const requests = new Map<string, Request[]>();
/** What was asked of hooks, in order, by run id. */
const asked = new Map<string, string[]>();
const ran: string[] = [];

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }),
  effect: 'once',
  execute({ a, b }, { run }) {
    ran.push(`${run.id} ${a}+${b}`);
    return `${a + b}`;
  },
});
const addNear = defineTool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }),
  effect: 'none',
  local: true,
  execute: ({ a, b }) => `${a + b}`,
});
const secret = defineTool({
  name: 'secret',
  description: 'Not for everyone.',
  input: z.object({}),
  effect: 'none',
  execute: () => 'the secret',
});

/** Adds twice side by side, then answers. */
function model(name: string): LanguageModel {
  const script = scriptedModel(({ messages }) => {
    const assistants = messages.filter((message) => message.role === 'assistant').length;
    if (assistants === 0) {
      return {
        text: 'Adding.',
        calls: [
          { name: 'add', input: { a: 1, b: 2 } },
          { name: 'add', input: { a: 3, b: 4 } },
        ],
      };
    }
    return { text: 'Sum known.' };
  });
  return languageModel({
    name: `model of ${name}`,
    stream(request, options) {
      requests.set(name, [...(requests.get(name) ?? []), structuredClone(request)]);
      return script.stream(request, options);
    },
  });
}

function note(id: string, what: string): void {
  asked.set(id, [...(asked.get(id) ?? []), what]);
}

/** Asked at every moment, changes nothing. */
const everywhere = defineHook({
  name: 'everywhere',
  onStart: ({ run }) => note(run.id, 'onStart'),
  onModelStart: ({ run, request }) => note(run.id, `onModelStart ${request.messages.length}`),
  onModelEnd: ({ run, response }) => note(run.id, `onModelEnd ${textOf(response)}`),
  onToolStart: ({ run, call }) => note(run.id, `onToolStart ${call.name}`),
  onToolEnd: ({ run, call }) => note(run.id, `onToolEnd ${call.name}`),
  onLoop: ({ run }) => note(run.id, `onLoop ${run.iteration}`),
  onEnd: ({ run, stop }) => note(run.id, `onEnd ${stop.reason}`),
});

const once = (hook: Omit<Hook, 'name'>, name = 'hook') => defineHook({ name, ...hook });
const fail = () => {
  throw new Error('broken');
};

const definitions: Readonly<Record<string, Partial<AgentDefinition>>> = {
  plain: {},
  everywhere: { hooks: [everywhere] },
  starts: {
    hooks: [
      once({
        onStart: async ({ messages }) => ({
          instructions: ['Be brief.'],
          messages: [userMessage(`There are ${(await messages()).length} messages.`)],
          metadata: { started: true },
          events: [{ type: 'ready', data: 1 }],
        }),
      }),
      once({ onStart: () => ({ instructions: ['Be kind.'] }) }, 'second'),
    ],
  },
  views: {
    hooks: [
      once({
        onModelStart: ({ request }) => ({
          messages: request.messages.map((message) =>
            message.role === 'user' ? userMessage('Go on.') : message,
          ),
          options: { temperature: 0.5 },
        }),
        onModelEnd: ({ response }) =>
          response.message === undefined || textOf(response) !== 'Sum known.'
            ? undefined
            : {
                message: { role: 'assistant', parts: [{ kind: 'text', text: 'Rewritten.' }] },
                metadata: { reviewed: 1 },
              },
      }),
    ],
  },
  skips: {
    hooks: [
      once({
        onToolStart: ({ input }) =>
          input['a'] === 1 ? { action: { kind: 'skip', text: 'No need.' } } : undefined,
        onToolEnd: ({ result }) => ({
          result: { output: `seen: ${textOf({ parts: result.output.content ?? [] })}` },
        }),
      }),
    ],
  },
  aborts: {
    hooks: [once({ onToolStart: () => ({ action: { kind: 'abort', detail: 'Not today.' } }) })],
  },
  serial: {
    serialTools: true,
    hooks: [
      once({
        onToolStart: ({ run, input }) => {
          note(
            run.id,
            `asked ${input['a']} after ${ran.filter((r) => r.startsWith(run.id)).length}`,
          );
          return input['a'] === 3 ? { action: { kind: 'abort' } } : undefined;
        },
      }),
    ],
  },
  tools: {
    hiddenTools: [secret],
    hooks: [once({ onLoop: () => ({ tools: { show: ['secret'], hide: ['add'] } }) })],
  },
  stops: {
    hooks: [
      once({ onLoop: () => ({ stop: { reason: 'completed', detail: 'Enough is known.' } }) }),
    ],
  },
  merges: {
    hooks: [
      once({
        onToolEnd: ({ call }) => ({
          metadata: {
            last: call.id,
            [call.id]: true,
            ...(call.id === 'call_0_1' && { gone: null }),
          },
        }),
        onStart: () => ({ metadata: { gone: 'not yet' } }),
      }),
    ],
  },
  observed: {
    hooks: [
      defineHook({
        name: 'watcher',
        observer: true,
        onStart: fail,
        onModelStart: fail,
        onModelEnd: fail,
        onToolStart: fail,
        onToolEnd: fail,
        onLoop: fail,
        onEnd: fail,
      }),
    ],
  },
  failsAtStart: { hooks: [once({ onStart: fail })] },
  failsAfterModel: { hooks: [once({ onModelEnd: fail })] },
  failsAfterTool: { hooks: [once({ onToolEnd: fail })] },
  failsAtEnd: {
    hooks: [
      once({ onEnd: fail }),
      once({ onEnd: () => ({ metadata: { cleaned: true } }) }, 'next'),
    ],
  },
  hangs: { hooks: [once({ timeout: '100 ms', onLoop: () => new Promise(() => {}) })] },
  nonsense: { hooks: [once({ onLoop: () => JSON.parse('{"metadata":7,"shout":true}') })] },
  huge: { hooks: [once({ onLoop: () => ({ metadata: { text: 'x'.repeat(3_000_000) } }) })] },
  again: {
    hooks: [
      once({
        onLoop: ({ run, attempt }) => {
          if (attempt === 1) throw new RetryableError('not yet', { retryAfterMs: 10 });
          return { metadata: { [`attempt of ${run.iteration}`]: attempt } };
        },
      }),
    ],
  },
  slowAfterTool: {
    hooks: [
      once({
        onToolEnd: ({ run }) => {
          note(run.id, 'thinking');
          return new Promise(() => {});
        },
      }),
    ],
  },
  crowded: {
    hooks: [
      once({
        onLoop: () => ({ metadata: { a: 'x'.repeat(40_000) } }),
        onToolEnd: ({ call }) => ({ metadata: { [call.id]: 'y'.repeat(20_000) } }),
      }),
    ],
  },
  failsNear: { hooks: [defineHook({ name: 'near', local: true, onLoop: fail })] },
  readsAfterTool: {
    tools: [addNear],
    hooks: [
      once({
        onToolEnd: async ({ messages, call }) => ({
          metadata: { [call.id]: (await messages()).length },
        }),
      }),
    ],
  },
  local: {
    hooks: [
      defineHook({
        name: 'near',
        local: true,
        onStart: () => ({ metadata: { near: true } }),
        onToolStart: ({ input }) =>
          input['a'] === 3 ? { action: { kind: 'skip', text: 'Skipped near.' } } : undefined,
        onLoop: ({ run }) => ({ messages: [userMessage(`after ${run.iteration}`)] }),
      }),
    ],
  },
};

let harness: Harness;
beforeAll(async () => {
  const agents = Object.fromEntries(
    Object.entries(definitions).map(([name, given]) => [
      name,
      defineAgent({ model: model(name), instructions: 'Add.', tools: [add], ...given }),
    ]),
  );
  harness = await startHarness({ agents });
});
afterAll(() => harness.stop());

async function finished(
  agent: string,
): Promise<{ run: RunHandle; result: Awaited<ReturnType<RunHandle['result']>> }> {
  const run = await harness.everloop.start(agent, { input: 'Go.' });
  return { run, result: await run.result() };
}

async function metadataOf(run: RunHandle) {
  return (await run.snapshot()).state?.metadata;
}

const times = (id: string) => ran.filter((entry) => entry.startsWith(id)).length;

describe('hooks', () => {
  it('are asked at their moments, and every call by its own', async () => {
    const { run } = await finished('everywhere');
    const order = asked.get(run.id) ?? [];
    expect(order.slice(0, 5)).toEqual([
      'onStart',
      'onModelStart 1',
      'onModelEnd Adding.',
      'onToolStart add',
      'onToolStart add',
    ]);
    expect(order.slice(5)).toEqual([
      'onToolEnd add',
      'onToolEnd add',
      'onLoop 1',
      'onModelStart 4',
      'onModelEnd Sum known.',
      'onEnd completed',
    ]);
  });

  it('cost an agent without any nothing: no Activity more, no byte more in an input', async () => {
    const { run } = await finished('plain');
    const { events } = await harness.history(run.id);
    const scheduled = events.flatMap((event) =>
      event.type === 'activity-scheduled' ? [event] : [],
    );
    expect(scheduled.map(({ activityId }) => activityId)).toEqual([
      '1/model',
      '1/call_0_0',
      '1/call_0_1',
      '2/model',
      '2/seal/5',
    ]);
    for (const { input } of scheduled) expect(input).not.toHaveProperty('view');
  });

  it('at the start add instructions, messages, metadata and events, all recorded', async () => {
    const { run } = await finished('starts');
    const [first] = requests.get('starts') ?? [];
    expect(first?.messages.map((message) => textOf(message))).toEqual([
      'Add.\n\nBe brief.\n\nBe kind.',
      'Go.',
      'There are 1 messages.',
    ]);
    expect(await metadataOf(run)).toEqual({ started: true });
    const events = await Array.fromAsync(run.events());
    expect(events).toContainEqual(expect.objectContaining({ type: 'hook.ready', data: 1 }));
  });

  it('around the model change what is sent this time and what is kept of the answer', async () => {
    const { run, result } = await finished('views');
    const sent = requests.get('views') ?? [];
    expect(sent.map(({ messages }) => textOf(messages[1] ?? { parts: [] }))).toEqual([
      'Go on.',
      'Go on.',
    ]);
    expect(textOf((await run.messages())[0] ?? { parts: [] })).toBe('Go.');
    expect(sent[0]?.options?.temperature).toBe(0.5);
    expect(result.output).toBe('Rewritten.');
    expect((await run.messages()).map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
    ]);
    expect(await metadataOf(run)).toEqual({ reviewed: 1 });
  });

  it('before a call skip it, and after it rewrite whatever answered it', async () => {
    const { run } = await finished('skips');
    expect(times(run.id)).toBe(1);
    expect(resultsOf(await run.messages())).toMatchObject([
      { id: 'call_0_0', text: 'seen: No need.', isError: false },
      { id: 'call_0_1', text: 'seen: 7', isError: false },
    ]);
  });

  it('before a call stop the run: nothing is executed, every call is answered', async () => {
    const { run, result } = await finished('aborts');
    expect(result).toMatchObject({ stopReason: 'aborted', ended: 'Not today.' });
    expect(times(run.id)).toBe(0);
    expect(resultsOf(await run.messages()).map(({ text }) => text)).toEqual([
      'not executed: add',
      'not executed: add',
    ]);
  });

  it('are asked call by call when calls run one after another, and end the row', async () => {
    const { run, result } = await finished('serial');
    expect(asked.get(run.id)).toEqual(['asked 1 after 0', 'asked 3 after 1']);
    expect(result.stopReason).toBe('aborted');
    expect(resultsOf(await run.messages()).map(({ text }) => text)).toEqual([
      '3',
      'not executed: add',
    ]);
  });

  it('show and hide tools from the next iteration on', async () => {
    await finished('tools');
    const offered = (requests.get('tools') ?? []).map((request) =>
      request.tools?.map((tool) => tool.name),
    );
    expect(offered[0]).toContain('add');
    expect(offered[0]).not.toContain('secret');
    expect(offered[1]).toContain('secret');
    expect(offered[1]).not.toContain('add');
  });

  it('between iterations may end the run', async () => {
    const { result } = await finished('stops');
    expect(result).toMatchObject({
      stopReason: 'completed',
      ended: 'Enough is known.',
      iterations: 1,
    });
  });

  it('merge metadata in call order, whatever finished first; null deletes', async () => {
    const { run } = await finished('merges');
    expect(await metadataOf(run)).toEqual({ last: 'call_0_1', call_0_0: true, call_0_1: true });
  });

  it('that want another try get one', async () => {
    const { run } = await finished('again');
    expect(await metadataOf(run)).toEqual({ 'attempt of 1': 2 });
  });

  it('that are local change as much without an Activity of their own', async () => {
    const { run } = await finished('local');
    const { events } = await harness.history(run.id);
    const names = events.flatMap((event) =>
      event.type === 'activity-scheduled' ? [event.name] : [],
    );
    expect(names).not.toContain('everloopRunHook');
    expect(await metadataOf(run)).toEqual({ near: true });
    expect(resultsOf(await run.messages()).map(({ text }) => text)).toEqual(['3', 'Skipped near.']);
    const [, second] = requests.get('local') ?? [];
    expect(textOf(second?.messages.at(-1) ?? { parts: [] })).toBe('after 1');
  });
});

describe('a call that is over', () => {
  it('keeps its result when the run is cancelled while a hook thinks about it', async () => {
    const run = await harness.everloop.start('slowAfterTool', { input: 'Go.' });
    await expect.poll(() => asked.get(run.id)?.length).toBe(2);
    await run.cancel();
    expect((await run.result()).stopReason).toBe('cancelled');
    expect(resultsOf(await run.messages())).toEqual([
      { id: 'call_0_0', text: '3', isError: false },
      { id: 'call_0_1', text: '7', isError: false },
    ]);
  });
});

describe('metadata', () => {
  it('has a limit; what does not fit is left out and noted', async () => {
    const { run, result } = await finished('crowded');
    expect(result.stopReason).toBe('completed');
    const metadata = await metadataOf(run);
    expect(Object.keys(metadata ?? {}).toSorted()).toEqual(['call_0_0', 'call_0_1', 'hook.error']);
    expect(metadata?.['hook.error']).toContain('a run keeps 65536 bytes at most');
  });

  it('of a start has the same limit', async () => {
    const metadata = { text: 'x'.repeat(100_000) };
    await expect(harness.everloop.start('plain', { input: 'Go.', metadata })).rejects.toMatchObject(
      { code: 'invalid_input' },
    );
  });
});

describe('a hook that fails', () => {
  it('near the Workflow ends the run as any other does, and the run replays', async () => {
    const { result } = await finished('failsNear');
    expect(result).toMatchObject({ stopReason: 'error' });
    expect(result.ended).toContain('The hook near failed in onLoop: broken');
  });

  it('is none for reading the messages of a local call', async () => {
    const { run, result } = await finished('readsAfterTool');
    expect(result.stopReason).toBe('completed');
    expect(await metadataOf(run)).toEqual({ call_0_0: 2, call_0_1: 2 });
  });

  it('as an observer is noted, and the run goes on', async () => {
    const { run, result } = await finished('observed');
    expect(result.stopReason).toBe('completed');
    expect(times(run.id)).toBe(2);
    expect(await metadataOf(run)).toEqual({ 'watcher.error': 'broken' });
  });

  it.each([
    ['failsAtStart', 'onStart', 0],
    ['hangs', 'onLoop', 2],
    ['nonsense', 'onLoop', 2],
    ['huge', 'onLoop', 2],
  ])('ends the run with an error that names hook and moment: %s', async (agent, moment, calls) => {
    const { run, result } = await finished(agent);
    expect(result.stopReason).toBe('error');
    expect(result.ended).toContain(`The hook hook failed in ${moment}:`);
    expect(times(run.id)).toBe(calls);
  });

  it('after the model never causes a second call: the answer stands', async () => {
    const { run, result } = await finished('failsAfterModel');
    expect(result).toMatchObject({ stopReason: 'error', output: 'Adding.' });
    expect(requests.get('failsAfterModel')?.length).toBe(1);
    expect(resultsOf(await run.messages()).map(({ text }) => text)).toEqual([
      'not executed: add',
      'not executed: add',
    ]);
  });

  it('after a tool never runs it again: its result stands', async () => {
    const { run, result } = await finished('failsAfterTool');
    expect(result.stopReason).toBe('error');
    expect(result.ended).toContain('The hook hook failed in onToolEnd: broken');
    const results = resultsOf(await run.messages());
    expect(results.length).toBe(2);
    expect(results.map(({ text }) => text)).toContain('3');
    expect(new Set(ran.filter((entry) => entry.startsWith(run.id))).size).toBe(times(run.id));
  });

  it('at the end hides neither the outcome nor the next hook', async () => {
    const { run, result } = await finished('failsAtEnd');
    expect(result.stopReason).toBe('completed');
    expect(await metadataOf(run)).toEqual({ 'hook.error': 'broken', cleaned: true });
  });
});
