/** The scripted model keeps the contract of the seam, and its script. */
import { describe, expect, it } from 'vitest';
import { assistantMessage, toolMessage, userMessage } from '../../src/chat/create-message.ts';
import { textOutput } from '../../src/chat/create-tool-output.ts';
import { languageModel } from '../../src/chat/language-model.ts';
import type { Request } from '../../src/chat/request.ts';
import { textOf } from '../../src/chat/text-of.ts';
import type { Script } from '../../src/models/scripted.ts';
import { answerFor, scriptedModel } from '../../src/models/scripted.ts';
import type { ConformanceModel, ConformanceSubject } from '../../src/testing/model-conformance.ts';
import { modelConformance } from '../../src/testing/model-conformance.ts';

const { signal } = new AbortController();
const first: Request = { messages: [userMessage('go')] };

const subject: ConformanceSubject = {
  reasoning: true,
  async create(script: Script): Promise<ConformanceModel> {
    let requests = 0;
    let open = 0;
    const scripted = scriptedModel(async (request) => {
      requests += 1;
      return answerFor(script, request);
    });
    const model = languageModel({
      name: scripted.name,
      async *stream(request, options) {
        open += 1;
        try {
          yield* scripted.stream(request, options);
        } finally {
          open -= 1;
        }
      },
    });
    return { model, requests: () => requests, open: () => open, close: async () => {} };
  },
};

describe('a scripted model as a language model', () => {
  it.each(modelConformance.map((check) => [check.title, check] as const))(
    '%s',
    async (_, check) => {
      await expect(check.check(subject)).resolves.toBeUndefined();
    },
  );
});

describe('a scripted model', () => {
  it('chooses its answer by the assistant messages in the request, whatever was asked before', async () => {
    const model = scriptedModel([{ text: 'one' }, { text: 'two' }]);
    const second = { messages: [userMessage('go'), assistantMessage('one'), userMessage('on')] };
    for (const [request, text] of [
      [second, 'two'],
      [first, 'one'],
      [second, 'two'],
    ] as const) {
      expect(textOf(await model.generate(request, { signal }))).toBe(text);
    }
  });

  it('fails clearly and for good when its script has run out', async () => {
    const model = scriptedModel([]);
    await expect(model.generate(first, { signal })).rejects.toMatchObject({
      kind: 'bad_request',
      retryable: false,
      message: 'the script has run out: it has 0 answers and answer 1 was asked for',
    });
  });

  it('gives calls ids that differ between answers and are the same every time', async () => {
    const script: Script = [{ calls: [{ name: 'a' }, { name: 'b' }] }, { calls: [{ name: 'a' }] }];
    const ids = async (request: Request) =>
      (await answerFor(script, request)).calls.map((call) => call.id);
    const asked = assistantMessage([
      { kind: 'tool_call', toolCall: { id: 'call_0_0', name: 'a', arguments: '{}' } },
    ]);
    const answered = toolMessage({ id: 'call_0_0', name: 'a', output: textOutput('ok') });
    expect(await ids(first)).toEqual(['call_0_0', 'call_0_1']);
    expect(await ids(first)).toEqual(['call_0_0', 'call_0_1']);
    expect(await ids({ messages: [userMessage('go'), asked, answered] })).toEqual(['call_1_0']);
  });

  it('derives the finish reason from what the answer says', async () => {
    const reason = async (script: Script) => (await answerFor(script, first)).finishReason;
    expect(await reason([{ text: 'x' }])).toBe('stop');
    expect(await reason([{ text: 'x', calls: [{ name: 'a' }] }])).toBe('tool_calls');
    expect(await reason([{ refusal: 'no' }])).toBe('refusal');
    expect(await reason([{ text: 'x', finishReason: 'length' }])).toBe('length');
  });

  it('counts a token per four characters, rounded up', async () => {
    const request = { messages: [userMessage('12345')] };
    const answer = await answerFor([{ text: '123456789', reasoning: '12345' }], request);
    expect(answer.usage).toEqual({ inputTokens: 2, outputTokens: 4, reasoningTokens: 2 });
  });

  it('asks a function with the request', async () => {
    const model = scriptedModel((request) => ({ text: `${request.messages.length} messages` }));
    expect(textOf(await model.generate(first, { signal }))).toBe('1 messages');
  });

  it('waits before the first delta, and no longer than until it is aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const waiting = Promise.withResolvers<void>();
    const model = scriptedModel([
      {
        text: 'late',
        waitFor: () => {
          waiting.resolve();
          return new Promise(() => {});
        },
      },
    ]);
    const response = model.generate(first, { signal: controller.signal });
    await waiting.promise;
    controller.abort(reason);
    await expect(response).rejects.toBe(reason);
  });

  it('says what it says in chunks of the size asked for', async () => {
    const model = scriptedModel([{ text: 'abcde🎉' }], { name: 'chunky', chunkSize: 2 });
    const texts: string[] = [];
    for await (const delta of model.stream(first, { signal })) texts.push(textOf(delta));
    expect(texts).toEqual(['ab', 'cd', 'e🎉', '']);
    expect(model.name).toBe('chunky');
  });
});
