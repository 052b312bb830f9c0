import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { createCallModel } from '../../src/activities/call-model.ts';
import { ModelContexts } from '../../src/activities/model-contexts.ts';
import type { LanguageModel } from '../../src/chat/language-model.ts';
import { languageModel } from '../../src/chat/language-model.ts';
import type { ModelErrorDetails } from '../../src/chat/model-error.ts';
import { ModelError } from '../../src/chat/model-error.ts';
import type { Request } from '../../src/chat/request.ts';
import { EverloopError } from '../../src/everloop-error.ts';
import type { RecordedEvent } from '../../src/history/recorded-event.ts';
import type { LiveEvent } from '../../src/loop/events.ts';
import type { Script } from '../../src/models/scripted.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import { agentWith } from '../loop/plans.ts';
import { simulate } from '../loop/simulate.ts';

const agent = agentWith(8, false);
/** A run of three iterations that ends with an answer: its history is the truth in these tests. */
const { histories, messages } = simulate({
  agent,
  answers: [
    {
      text: 'Hm.',
      calls: [{ id: 'c1', name: 'a', arguments: '{}' }],
      finishReason: 'tool_calls',
      usage: undefined,
      pause: false,
      fails: false,
    },
    {
      text: 'Hm.',
      calls: [{ id: 'c2', name: 'a', arguments: '{}' }],
      finishReason: 'tool_calls',
      usage: undefined,
      pause: false,
      fails: false,
    },
    {
      text: 'Done.',
      calls: [],
      finishReason: 'stop',
      usage: undefined,
      pause: false,
      fails: false,
    },
  ],
  ends: [{ rank: 0, end: 'finished' }],
  sends: [],
  continueAfter: [],
  hooks: {},
  actions: [],
  sealsFail: false,
  cancelAfter: undefined,
});
const events = histories.flat();
const third = events.find(
  (event): event is Extract<RecordedEvent, { type: 'activity-scheduled' }> =>
    event.type === 'activity-scheduled' && event.activityId === '3/model',
);
const input = third?.input as Parameters<ReturnType<typeof createCallModel>>[0];

interface Call {
  readonly environment: MockActivityEnvironment;
  readonly contexts: ModelContexts;
  readonly published: LiveEvent[];
  run(): ReturnType<ReturnType<typeof createCallModel>>;
}

function callOf(model: LanguageModel | (() => never), attempt = 1): Call {
  const environment = new MockActivityEnvironment(
    {
      attempt,
      activityId: '3/model',
      heartbeatDetails:
        attempt > 1 ? [{ attempt: 1, startedAt: '2026-01-01T00:00:00.000Z' }] : undefined,
      workflowExecution: { workflowId: 'run', runId: '0000-sim' },
    },
    { logger: new DefaultLogger('ERROR') },
  );
  const contexts = new ModelContexts();
  const published: LiveEvent[] = [];
  const activity = createCallModel({
    contexts,
    agents: new Map([[agent.name, {}]]),
    blobs: createMemoryBlobStore(),
    bus: { publish: (event) => published.push(event), subscribe: () => () => {} },
    readerOf: () => undefined,
    heartbeatIntervalMs: 1_000,
    modelNamed: () => (typeof model === 'function' ? model() : model),
    readHistory: async function* () {
      yield* events;
    },
  });
  return { environment, contexts, published, run: () => environment.run(activity, input) };
}

/** A model that remembers what it was asked. */
function recording(script: Script): { model: LanguageModel; requests: Request[] } {
  const requests: Request[] = [];
  const inner = scriptedModel(script, { chunkSize: 4 });
  const model = languageModel({
    name: 'recording',
    stream(request, options) {
      requests.push(structuredClone(request));
      return inner.stream(request, options);
    },
  });
  return { model, requests };
}

function failing(error: Error): LanguageModel {
  return languageModel({ name: 'failing', generate: () => Promise.reject(error) });
}

const answer: Script = () => ({ text: 'All done.' });

async function failureOf(call: Call): Promise<ApplicationFailure> {
  const error: unknown = await call.run().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApplicationFailure)) throw new Error(`no failure but ${String(error)}`);
  return error;
}

describe('everloopCallModel', () => {
  it('asks with instructions, transcript and tools, rebuilt from history when nothing is cached', async () => {
    const { model, requests } = recording(answer);
    const call = callOf(model);
    const result = await call.run();
    expect(call.contexts.counts).toEqual({ hits: 0, misses: 1 });
    expect(requests[0]?.messages.map((message) => message.role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ]);
    expect(requests[0]?.tools?.map((tool) => tool.name)).toEqual(['a', 'b']);
    expect(result).toMatchObject({
      message: { id: '0000-sim/3/model/1', role: 'assistant' },
      finishReason: 'stop',
    });
  });

  it('asks the same from the cache as from history', async () => {
    const cold = recording(answer);
    const first = callOf(cold.model);
    await first.run();
    const warm = recording(answer);
    const second = callOf(warm.model);
    second.contexts.restore('0000-sim', agent, messages.slice(0, 5));
    await second.run();
    expect(second.contexts.counts).toEqual({ hits: 1, misses: 0 });
    expect(warm.requests).toEqual(cold.requests);
  });

  it('never asks with a cached transcript that is not the one meant', async () => {
    const { model, requests } = recording(answer);
    const call = callOf(model);
    const other = messages.slice(0, 5).toReversed();
    call.contexts.restore('0000-sim', agent, other);
    await call.run();
    expect(call.contexts.counts).toEqual({ hits: 0, misses: 1 });
    expect(requests[0]?.messages.at(-1)?.role).toBe('tool');
  });

  it('publishes every delta with iteration, attempt and a running number', async () => {
    const call = callOf(scriptedModel(answer, { chunkSize: 4 }), 2);
    await call.run();
    expect(call.published.map(({ iteration, attempt, seq }) => [iteration, attempt, seq])).toEqual([
      [3, 2, 0],
      [3, 2, 1],
      [3, 2, 2],
    ]);
  });

  it('tells watchers once that an answer comes in one piece', async () => {
    const response = {
      output: {
        message: { role: 'assistant' as const, parts: [{ kind: 'text' as const, text: 'Done.' }] },
        finishReason: 'stop' as const,
      },
    };
    const call = callOf(languageModel({ name: 'whole', generate: async () => response }));
    await call.run();
    expect(call.published.map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'stream-fallback', data: { model: 'whole' } },
      { type: 'text-delta', data: { text: 'Done.' } },
    ]);
  });

  it('returns the attempts that came before, as far as they announced themselves', async () => {
    const call = callOf(scriptedModel(answer), 3);
    expect((await call.run()).attempts).toEqual([
      { attempt: 1, startedAt: '2026-01-01T00:00:00.000Z' },
      { attempt: 2 },
    ]);
  });

  it('announces itself when it fails, and costs no heartbeat when it succeeds at once', async () => {
    const beats: unknown[] = [];
    const good = callOf(scriptedModel(answer));
    good.environment.on('heartbeat', (details) => beats.push(details));
    await good.run();
    expect(beats).toEqual([]);
    const bad = callOf(failing(new Error('odd')), 2);
    bad.environment.on('heartbeat', (details) => beats.push(details));
    await failureOf(bad);
    expect(beats).toMatchObject([[{ attempt: 1 }, { attempt: 2, startedAt: expect.any(String) }]]);
  });

  it('returns the text so far, marked partial, when the run is cancelled', async () => {
    const script: Script = () => ({ text: 'This never ends', stallAfter: 2 });
    const call = callOf(scriptedModel(script, { chunkSize: 4 }));
    call.environment.on('heartbeat', () => {});
    const running = call.run();
    await expect.poll(() => call.published.length).toBe(2);
    call.environment.cancel('CANCELLED', {
      cancelRequested: true,
      notFound: false,
      paused: false,
      timedOut: false,
      workerShutdown: false,
      reset: false,
    });
    expect(await running).toMatchObject({
      cancelled: true,
      message: { partial: true, parts: [{ kind: 'text', text: 'This nev' }] },
    });
  });

  it('throws, so that another attempt does the work, when its Worker shuts down', async () => {
    const script: Script = () => ({ text: 'This never ends', stallAfter: 2 });
    const call = callOf(scriptedModel(script, { chunkSize: 4 }));
    const running = call.run();
    await expect.poll(() => call.published.length).toBe(2);
    call.environment.cancel('WORKER_SHUTDOWN', {
      cancelRequested: false,
      notFound: false,
      paused: false,
      timedOut: false,
      workerShutdown: true,
      reset: false,
    });
    await expect(running).rejects.toThrow('WORKER_SHUTDOWN');
  });

  it.each<[ModelErrorDetails, { type: string; nonRetryable: boolean; nextRetryDelay?: number }]>([
    [
      { kind: 'rate_limited', status: 429, retryAfterMs: 7_000 },
      { type: 'everloop.model.rate_limited', nonRetryable: false, nextRetryDelay: 7_000 },
    ],
    [{ kind: 'overloaded' }, { type: 'everloop.model.overloaded', nonRetryable: false }],
    [{ kind: 'stream_cut' }, { type: 'everloop.model.stream_cut', nonRetryable: false }],
    [{ kind: 'timeout' }, { type: 'everloop.model.timeout', nonRetryable: false }],
    [
      { kind: 'authentication', status: 401 },
      { type: 'everloop.model.authentication', nonRetryable: true },
    ],
    [{ kind: 'not_found' }, { type: 'everloop.model.not_found', nonRetryable: true }],
    [{ kind: 'bad_request' }, { type: 'everloop.model.bad_request', nonRetryable: true }],
    [{ kind: 'context_too_long' }, { type: 'everloop.model.context_too_long', nonRetryable: true }],
    [{ kind: 'unknown' }, { type: 'everloop.model.unknown', nonRetryable: false }],
  ])('fails with %o as %o', async (details, expected) => {
    const model = failing(new ModelError('it failed', details));
    expect(await failureOf(callOf(model))).toMatchObject(expected);
  });

  it('gives up on a failure that nobody has classified at the third attempt', async () => {
    const model = failing(new Error('odd'));
    expect((await failureOf(callOf(model, 2))).nonRetryable).toBe(false);
    expect((await failureOf(callOf(model, 3))).nonRetryable).toBe(true);
  });

  it('says what the Worker lacks when the model cannot be used there', async () => {
    const call = callOf(() => {
      throw new EverloopError('configuration', 'model x needs a key', { hint: 'set X_KEY' });
    });
    expect(await failureOf(call)).toMatchObject({
      type: 'everloop.configuration',
      message: 'model x needs a key: set X_KEY',
      nonRetryable: true,
    });
  });

  it('gives repeated call ids of the model a suffix that is free in the transcript', async () => {
    const calls = [
      { id: 'c1', name: 'a' },
      { id: 'c3', name: 'a' },
    ];
    const result = await callOf(scriptedModel(() => ({ calls }))).run();
    const ids = result.message?.parts.map((part) =>
      part.kind === 'tool_call' ? part.toolCall.id : '',
    );
    expect(ids).toEqual(['c1_2', 'c3']);
  });
});
