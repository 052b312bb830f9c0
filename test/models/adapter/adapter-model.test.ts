/** The streaming skeleton with an adapter of a few lines, so that nothing but the skeleton is seen. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { textDelta } from '../../../src/chat/create-delta.ts';
import { userMessage } from '../../../src/chat/create-message.ts';
import { ModelError } from '../../../src/chat/model-error.ts';
import type { ReportEntry } from '../../../src/chat/report.ts';
import { createRequest } from '../../../src/chat/request.ts';
import type { ResponseDelta } from '../../../src/chat/response-delta.ts';
import type { ModelAdapter } from '../../../src/models/adapter/adapter-model.ts';
import { adapterModel } from '../../../src/models/adapter/adapter-model.ts';

class SdkError extends Error {
  readonly status = 503;
  readonly headers = new Headers({ 'retry-after': '2' });
  readonly error: unknown = { type: 'overloaded_error', message: 'busy' };
  readonly requestID = 'r1';
}
class ConnectionError extends SdkError {}
class TimeoutError extends ConnectionError {}

interface Seen {
  readonly isFinished: boolean;
  readonly isComplete: boolean;
}
type Events = (signal: AbortSignal) => AsyncIterable<unknown>;

/** Events are texts; `.` says why the answer ended, `!` that nothing more comes. */
function adapter(events: Events, contentType = 'text/event-stream'): ModelAdapter<string, Seen> {
  return {
    provider: 'toy',
    tolerated: new Set(),
    sdkErrors: { api: SdkError, connection: ConnectionError, timeout: TimeoutError },
    toBody: () => ({
      body: 'body',
      report: [{ severity: 'omitted', path: 'request', reason: 'toy' }],
    }),
    open: async (_, signal) => ({
      events: events(signal),
      response: new Response(null, { headers: { 'content-type': contentType } }),
    }),
    initialState: { isFinished: false, isComplete: false },
    read: (state, event) => {
      if (event === '.') return { state: { ...state, isFinished: true } };
      if (event === '!') return { state: { isFinished: true, isComplete: true } };
      return { state, delta: { parts: [textDelta(String(event))] } };
    },
    isFinished: (state) => state.isFinished,
    isComplete: (state) => state.isComplete,
    end: (state) => {
      if (!state.isFinished) throw new ModelError('cut', { kind: 'stream_cut' });
      const report: ReportEntry[] = [{ severity: 'omitted', path: 'response', reason: 'toy' }];
      return { delta: { finishReason: 'stop' }, report };
    },
  };
}

async function follow(
  toy: ModelAdapter<string, Seen>,
  signal = new AbortController().signal,
  idleTimeoutMs?: number,
) {
  const model = adapterModel(toy, {
    model: 'm',
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
  });
  const request = createRequest({ messages: [userMessage('q')] });
  const deltas: ResponseDelta[] = [];
  const report: string[] = [];
  const options = { signal, report: (entry: ReportEntry) => report.push(entry.path) };
  try {
    for await (const delta of model.stream(request, options)) deltas.push(delta);
  } catch (error) {
    return { model, deltas, report, error };
  }
  return { model, deltas, report, error: undefined };
}

async function* events(...list: readonly unknown[]): AsyncGenerator<unknown> {
  for (const event of list) {
    if (event instanceof Error) throw event;
    yield event;
  }
}
/** Never settles on its own; ends without a word when it is aborted, as SDK iterators do. */
const silence = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });

describe('a stream', () => {
  it('passes on what its adapter reads, and tells both reports', async () => {
    const { model, deltas, report, error } = await follow(adapter(() => events('a', 'b', '.')));
    expect(error).toBeUndefined();
    expect(model.name).toBe('toy:m');
    expect(deltas).toEqual([
      { parts: [textDelta('a')] },
      { parts: [textDelta('b')] },
      { finishReason: 'stop' },
    ]);
    expect(report).toEqual(['request', 'response']);
  });

  it('is whole once it is finished, whatever breaks then', async () => {
    const { deltas, error } = await follow(adapter(() => events('a', '.', new Error('reset'))));
    expect(error).toBeUndefined();
    expect(deltas.at(-1)).toEqual({ finishReason: 'stop' });
  });

  it('reads what comes after its finish, but nothing after it is complete', async () => {
    const said = async (...list: readonly string[]) =>
      (await follow(adapter(() => events(...list)))).deltas.length;
    expect(await said('a', '.', 'b')).toBe(3);
    expect(await said('a', '!', 'b', 'c')).toBe(2);
  });

  it.each<[string, readonly unknown[], object]>([
    [
      'an error of the SDK',
      [new SdkError('x')],
      { kind: 'overloaded', status: 503, retryAfterMs: 2000, outputStarted: false },
    ],
    ['a broken connection', ['a', new Error('x')], { kind: 'stream_cut', outputStarted: true }],
    ['a timeout of the SDK', [new TimeoutError('x')], { kind: 'timeout' }],
    ['an end before the finish', ['a'], { kind: 'stream_cut', outputStarted: true }],
  ])('that ends with %s throws it as a ModelError', async (_, list, expected) => {
    const { error } = await follow(adapter(() => events(...list)));
    expect(error).toMatchObject({ name: 'ModelError', provider: 'toy', ...expected });
  });

  it('that is a web page is refused, and no other try would help', async () => {
    const { error } = await follow(adapter(() => events('a', '.'), 'text/html'));
    expect(error).toMatchObject({ kind: 'invalid_response', retryable: false });
  });

  it('that is cancelled throws the reason of the signal, though its iterator says nothing', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const toy = adapter(async function* (signal) {
      yield 'a';
      controller.abort(reason);
      await silence(signal);
    });
    expect((await follow(toy, controller.signal)).error).toBe(reason);
  });
});

describe('silence', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Says these events and then nothing more. */
  const falls = (...list: readonly string[]) =>
    adapter(async function* (signal) {
      yield* list;
      await silence(signal);
    });

  it('before the finish is a timeout', async () => {
    const following = follow(falls('a'), undefined, 500);
    await vi.advanceTimersByTimeAsync(499);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect((await following).error).toMatchObject({ kind: 'timeout', outputStarted: true });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('after the finish ends the answer', async () => {
    const following = follow(falls('a', '.'), undefined, 500);
    await vi.advanceTimersByTimeAsync(500);
    expect((await following).error).toBeUndefined();
  });

  it('after a complete answer is waited for only a second', async () => {
    const following = follow(falls('a', '!'), undefined, 60_000);
    await vi.advanceTimersByTimeAsync(1000);
    expect((await following).deltas.at(-1)).toEqual({ finishReason: 'stop' });
  });
});

it('refuses calls and results that do not belong together before it opens anything', async () => {
  const open = vi.fn();
  const model = adapterModel({ ...adapter(() => events('.')), open }, { model: 'm' });
  const request = createRequest({
    messages: [
      { role: 'assistant', parts: [{ kind: 'tool_call', toolCall: { id: 'a', name: 'f' } }] },
      userMessage('q'),
    ],
  });
  const { signal } = new AbortController();
  await expect(model.generate(request, { signal })).rejects.toMatchObject({
    name: 'ChatError',
    path: 'messages[0]',
  });
  expect(open).not.toHaveBeenCalled();
});
