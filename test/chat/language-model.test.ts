/** The seam to models: one way to ask derives the other, and both hold the contract. */
import { describe, expect, it } from 'vitest';
import { userMessage } from '../../src/chat/create-message.ts';
import type { LanguageModelWrapper } from '../../src/chat/language-model.ts';
import { languageModel, wrapLanguageModel } from '../../src/chat/language-model.ts';
import { ModelError } from '../../src/chat/model-error.ts';
import type { Response } from '../../src/chat/response.ts';
import type { ResponseDelta } from '../../src/chat/response-delta.ts';
import { textOf } from '../../src/chat/text-of.ts';

const request = { messages: [userMessage('hi')] };
const { signal } = new AbortController();
const hello: Response = {
  output: {
    message: { role: 'assistant', parts: [{ kind: 'text', text: 'hello' }] },
    finishReason: 'stop',
  },
};

function streaming(...deltas: readonly ResponseDelta[]) {
  return languageModel({
    name: 'streaming',
    async *stream() {
      yield* deltas;
    },
  });
}

async function drain(stream: AsyncIterable<ResponseDelta>): Promise<void> {
  for await (const delta of stream) void delta;
}

describe('a model that streams', () => {
  it('generates what the stream accumulates to', async () => {
    const model = streaming(
      { parts: [{ kind: 'text', text: 'hel' }] },
      { parts: [{ kind: 'text', text: 'lo' }], finishReason: 'stop' },
    );
    expect(await model.generate(request, { signal })).toEqual(hello);
  });

  it('fails with a cut stream when the finish reason is missing', async () => {
    const model = streaming({ parts: [{ kind: 'text', text: 'hel' }] });
    await expect(model.generate(request, { signal })).rejects.toMatchObject({
      name: 'ModelError',
      kind: 'stream_cut',
      retryable: true,
      outputStarted: true,
    });
    await expect(drain(streaming().stream(request, { signal }))).rejects.toMatchObject({
      kind: 'stream_cut',
      outputStarted: false,
    });
  });

  it('fails with an invalid response when its deltas make no sense', async () => {
    const model = streaming(
      { parts: [{ kind: 'tool_call', toolCall: { id: 'a', name: 'f' } }] },
      { parts: [{ kind: 'tool_call', toolCall: { id: 'a', name: 'g' } }], finishReason: 'stop' },
    );
    await expect(model.generate(request, { signal })).rejects.toMatchObject({
      kind: 'invalid_response',
      cause: { code: 'invalid_response' },
    });
  });

  it('throws the reason of its signal whatever its transport throws or hides', async () => {
    const reason = new Error('enough');
    for (const ending of ['throws', 'ends'] as const) {
      const controller = new AbortController();
      const model = languageModel({
        name: 'aborted',
        async *stream() {
          yield { parts: [{ kind: 'text', text: 'a' }] };
          controller.abort(reason);
          if (ending === 'throws') throw new Error('socket closed');
        },
      });
      await expect(model.generate(request, { signal: controller.signal })).rejects.toBe(reason);
    }
  });

  it('passes the failure of its source on untouched', async () => {
    const failure = new ModelError('slow down', { kind: 'rate_limited', retryAfterMs: 10 });
    const model = languageModel({
      name: 'failing',
      // biome-ignore lint/correctness/useYield: it fails before it says anything
      async *stream() {
        throw failure;
      },
    });
    await expect(model.generate(request, { signal })).rejects.toBe(failure);
  });
});

describe('a model that generates', () => {
  const model = languageModel({ name: 'generating', generate: async () => hello });

  it('streams its answer as one delta', async () => {
    const deltas: ResponseDelta[] = [];
    for await (const delta of model.stream(request, { signal })) deltas.push(delta);
    expect(deltas.map((delta) => [textOf(delta), delta.finishReason])).toEqual([['hello', 'stop']]);
  });

  it('is asked neither with an invalid request nor after a cancel', async () => {
    let asked = 0;
    const counting = languageModel({
      name: 'counting',
      generate: async () => {
        asked += 1;
        return hello;
      },
    });
    const reason = new Error('enough');
    await expect(counting.generate({ messages: [] }, { signal })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(counting.generate(request, { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    expect(asked).toBe(0);
  });
});

describe('wrapping a model', () => {
  it('puts the first wrapper outermost and skips absent ones', async () => {
    const order: string[] = [];
    const noting =
      (name: string): LanguageModelWrapper =>
      (next) =>
        languageModel({
          name: `${name}(${next.name})`,
          generate: (asked, options) => {
            order.push(name);
            return next.generate(asked, options);
          },
        });
    const inner = languageModel({ name: 'm', generate: async () => hello });
    const model = wrapLanguageModel(inner, noting('a'), undefined, noting('b'));
    expect(model.name).toBe('a(b(m))');
    await model.generate(request, { signal });
    expect(order).toEqual(['a', 'b']);
    expect(wrapLanguageModel(inner)).toBe(inner);
  });

  it('refuses a wrapper that answers with no model', () => {
    // @ts-expect-error: what untyped code may return
    const wrap = () => wrapLanguageModel(streaming(), () => undefined);
    expect(wrap).toThrow(new TypeError('a wrapper of model streaming returned no model'));
  });

  it('keeps the mark of a model that cannot stream, whatever is around it', async () => {
    const whole = languageModel({ name: 'whole', generate: async () => hello });
    const around: LanguageModelWrapper = (next) =>
      languageModel({ name: next.name, stream: (asked, options) => next.stream(asked, options) });
    const wrapped = wrapLanguageModel(whole, around, (next) => next, around);
    expect([whole.streams, wrapped.streams]).toEqual([false, false]);
    expect(await wrapped.generate(request, { signal })).toEqual(hello);
    expect(wrapLanguageModel(streaming(), around).streams).toBeUndefined();
  });

  it('marks a wrapper that takes the answer in one piece', () => {
    const whole: LanguageModelWrapper = (next) =>
      languageModel({
        name: next.name,
        generate: (asked, options) => next.generate(asked, options),
      });
    expect(wrapLanguageModel(streaming(), whole).streams).toBe(false);
  });
});

describe('a model error', () => {
  it('advises a retry by its kind unless it is told better', () => {
    const advice = (kind: ModelError['kind']) => new ModelError('x', { kind }).retryable;
    expect([
      'rate_limited',
      'overloaded',
      'timeout',
      'connection',
      'stream_cut',
      'server',
    ] as const).toSatisfy((kinds: ModelError['kind'][]) => kinds.every(advice));
    expect(advice('authentication')).toBe(false);
    expect(advice('unknown')).toBe(false);
    expect(new ModelError('x', { kind: 'server', retryable: false }).retryable).toBe(false);
  });

  it('carries plain data only, absent members left out', () => {
    const error = new ModelError('x', { kind: 'server', status: 500, code: undefined });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'ModelError',
      kind: 'server',
      status: 500,
      retryable: true,
      outputStarted: false,
    });
  });
});
