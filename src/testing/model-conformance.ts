/** What every LanguageModel must do, as checks that any test runner can run. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccumulator } from '../chat/accumulator.ts';
import { userMessage } from '../chat/create-message.ts';
import type { LanguageModel } from '../chat/language-model.ts';
import { ModelError } from '../chat/model-error.ts';
import type { Part } from '../chat/part.ts';
import type { Request } from '../chat/request.ts';
import { createRequest } from '../chat/request.ts';
import type { ResponseDelta } from '../chat/response-delta.ts';
import { textOf } from '../chat/text-of.ts';
import type { Script } from '../models/scripted.ts';

/** A model that answers by a script, and what can be seen of it from the other side. */
export interface ConformanceModel {
  readonly model: LanguageModel;
  /** Requests that have reached the other side. */
  requests(): number;
  /** Requests that the other side still holds open; leave out where that cannot be seen. */
  open?(): number;
  /** Resolves when everything is released. */
  close(): Promise<void>;
}

/** Makes models to check; `reasoning: true` if the wire format can carry reasoning text. */
export interface ConformanceSubject {
  readonly reasoning?: boolean;
  create(script: Script): Promise<ConformanceModel>;
}

/** One thing that holds for every model; throws an AssertionError where it does not. */
export interface ConformanceCheck {
  readonly title: string;
  check(subject: ConformanceSubject): Promise<void>;
}

/** How long a release is waited for: far above any local connection, far below a test's own limit. */
const releaseTimeoutMs = 5000;

const emoji = '👩‍🚀 flies 🎉 é 漢字 '.repeat(20);

/** The checks; run each as a test of its own. */
export const modelConformance: readonly ConformanceCheck[] = [
  check('asks nothing before its stream is iterated', [{ text: 'hi' }], async (subject) => {
    const stream = subject.model.stream(ask(), options());
    assert.equal(subject.requests(), 0);
    await collect(stream);
    assert.equal(subject.requests(), 1);
  }),
  check(
    'generates what its stream accumulates to',
    [
      {
        text: 'Once upon a time there was a stream.',
        calls: [{ name: 'look', input: { at: 'it' } }],
      },
    ],
    async ({ model }) => {
      const accumulator = createAccumulator();
      for (const delta of await collect(model.stream(ask(), options()))) accumulator.add(delta);
      const streamed = accumulator.response();
      const generated = await model.generate(ask(), options());
      assert.deepEqual(generated.output, streamed.output);
      assert.deepEqual(generated.metadata?.usage, streamed.metadata?.usage);
    },
  ),
  check('says the text of the answer', [{ text: 'Hello,\n  world ' }], async ({ model }) => {
    const { output } = await model.generate(ask(), options());
    assert.equal(textOf(output), 'Hello,\n  world ');
    assert.equal(output.message?.role, 'assistant');
  }),
  {
    title: 'keeps reasoning apart from text',
    check: async (subject) => {
      if (subject.reasoning !== true) return;
      await using(subject, [{ reasoning: 'Let me think.', text: 'Yes.' }], async ({ model }) => {
        const { output } = await model.generate(ask(), options());
        assert.equal(textOf(output), 'Yes.');
        const thought = partsOf(output.message?.parts, 'reasoning').map((part) => part.text ?? '');
        assert.equal(thought.join(''), 'Let me think.');
      });
    },
  },
  check(
    'keeps several calls in order with their exact arguments',
    [
      {
        calls: [
          { id: 'call_a', name: 'first', arguments: '{"id": 12345678901234567890, "x":1.0}' },
          { id: 'call_b', name: 'second', input: { text: 'a "quoted" 🎉' } },
        ],
      },
    ],
    async ({ model }) => {
      const { output } = await model.generate(ask(), options());
      const calls = partsOf(output.message?.parts, 'tool_call').map((part) => part.toolCall);
      assert.deepEqual(calls, [
        { id: 'call_a', name: 'first', arguments: '{"id": 12345678901234567890, "x":1.0}' },
        { id: 'call_b', name: 'second', arguments: '{"text":"a \\"quoted\\" 🎉"}' },
      ]);
    },
  ),
  check(
    'lets a call have empty arguments',
    [{ calls: [{ name: 'now', arguments: '' }] }],
    async ({ model }) => {
      const { output } = await model.generate(ask(), options());
      const calls = partsOf(output.message?.parts, 'tool_call').map((part) => part.toolCall);
      assert.deepEqual(
        calls.map((call) => [call.name, call.arguments ?? '']),
        [['now', '']],
      );
    },
  ),
  ...(['stop', 'length', 'tool_calls'] as const).map((finishReason) =>
    check(
      `reports the finish reason ${finishReason}`,
      [
        {
          text: 'so',
          finishReason,
          ...(finishReason === 'tool_calls' ? { calls: [{ name: 'now' }] } : {}),
        },
      ],
      async ({ model }) => {
        const { output } = await model.generate(ask(), options());
        assert.equal(output.finishReason, finishReason);
      },
    ),
  ),
  check(
    'reports usage once and for the whole call',
    [{ text: 'counted', usage: { inputTokens: 120, outputTokens: 30 } }],
    async ({ model }) => {
      const { metadata } = await model.generate(ask(), options());
      assert.equal(metadata?.usage?.inputTokens, 120);
      assert.equal(metadata?.usage?.outputTokens, 30);
    },
  ),
  check('refuses an invalid request before asking', [{ text: 'never' }], async (subject) => {
    const invalid: Request = { messages: [] };
    await assert.rejects(collect(subject.model.stream(invalid, options())), { name: 'ChatError' });
    await assert.rejects(subject.model.generate(invalid, options()), { name: 'ChatError' });
    assert.equal(subject.requests(), 0);
  }),
  check('leaves the request as it was', [{ text: 'read only' }], async ({ model }) => {
    const request = ask();
    const before = structuredClone(request);
    await model.generate(request, options());
    assert.deepEqual(request, before);
  }),
  check('does not ask when it is cancelled already', [{ text: 'never' }], async (subject) => {
    const reason = new Error('cancelled by the test');
    const signal = AbortSignal.abort(reason);
    await assert.rejects(collect(subject.model.stream(ask(), { signal })), isExactly(reason));
    await assert.rejects(subject.model.generate(ask(), { signal }), isExactly(reason));
    assert.equal(subject.requests(), 0);
  }),
  check(
    'ends a cancelled stream with the reason of its signal and lets go',
    [{ text: 'a long answer that stops in the middle of what it says', stallAfter: 2 }],
    async (subject) => {
      const reason = new Error('cancelled by the test');
      const controller = new AbortController();
      const iterate = async () => {
        for await (const delta of subject.model.stream(ask(), { signal: controller.signal })) {
          if (textOf(delta) !== '') controller.abort(reason);
        }
      };
      await assert.rejects(iterate(), isExactly(reason));
      await released(subject);
    },
  ),
  check(
    'lets go when its stream is left early',
    [{ text: 'a long answer that nobody reads to its end', stallAfter: 2 }],
    async (subject) => {
      for await (const delta of subject.model.stream(ask(), options())) {
        if (textOf(delta) !== '') break;
      }
      assert.equal(subject.requests(), 1);
      await released(subject);
    },
  ),
  check(
    'throws a failure once, as a ModelError',
    [{ error: { kind: 'rate_limited', status: 429, retryAfterMs: 2000 } }],
    async ({ model }) => {
      const iterator = model.stream(ask(), options())[Symbol.asyncIterator]();
      await assert.rejects(drain(iterator), (error) => {
        assert.ok(error instanceof ModelError);
        const { kind, status, retryAfterMs, retryable, outputStarted } = error;
        assert.deepEqual(
          { kind, status, retryAfterMs, retryable, outputStarted },
          {
            kind: 'rate_limited',
            status: 429,
            retryAfterMs: 2000,
            retryable: true,
            outputStarted: false,
          },
        );
        return true;
      });
      assert.equal((await iterator.next()).done, true);
    },
  ),
  check('never splits a code point over two deltas', [{ text: emoji }], async ({ model }) => {
    const texts = (await collect(model.stream(ask(), options()))).map((delta) => textOf(delta));
    assert.ok(texts.every((text) => text.isWellFormed()));
    assert.equal(texts.join(''), emoji);
  }),
  check(
    'takes a cut stream for an error and never for an answer',
    [{ text: 'half of an ans', error: { kind: 'stream_cut' } }],
    async ({ model }) => {
      for (const attempt of [
        () => model.generate(ask(), options()),
        () => collect(model.stream(ask(), options())),
      ]) {
        await assert.rejects(attempt, (error) => {
          assert.ok(error instanceof ModelError);
          assert.equal(error.kind, 'stream_cut');
          assert.equal(error.outputStarted, true);
          return true;
        });
      }
    },
  ),
];

function check(
  title: string,
  script: Script,
  run: (subject: ConformanceModel) => Promise<void>,
): ConformanceCheck {
  return { title, check: (subject) => using(subject, script, run) };
}

async function using(
  subject: ConformanceSubject,
  script: Script,
  run: (subject: ConformanceModel) => Promise<void>,
): Promise<void> {
  const created = await subject.create(script);
  try {
    await run(created);
  } finally {
    await created.close();
  }
}

function ask(): Request {
  return createRequest({ messages: [userMessage('Answer by the script.')] });
}

function options(): { signal: AbortSignal } {
  return { signal: new AbortController().signal };
}

async function collect(stream: AsyncIterable<ResponseDelta>): Promise<ResponseDelta[]> {
  const deltas: ResponseDelta[] = [];
  for await (const delta of stream) deltas.push(delta);
  return deltas;
}

async function drain(iterator: AsyncIterator<ResponseDelta>): Promise<void> {
  while ((await iterator.next()).done !== true);
}

function isExactly(reason: Error): (error: unknown) => boolean {
  return (error) => {
    assert.equal(error, reason);
    return true;
  };
}

async function released(subject: ConformanceModel): Promise<void> {
  const deadline = Date.now() + releaseTimeoutMs;
  while ((subject.open?.() ?? 0) > 0) {
    assert.ok(Date.now() < deadline, 'the request is still open on the other side');
    await sleep(5);
  }
}

function partsOf<Kind extends Part['kind']>(
  parts: readonly Part[] | undefined,
  kind: Kind,
): Extract<Part, { kind: Kind }>[] {
  return (parts ?? []).filter((part): part is Extract<Part, { kind: Kind }> => part.kind === kind);
}
