/** Streams that no provider should send: whatever comes, it is an answer that can be sent back, or a ModelError. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { userMessage } from '../../../src/chat/create-message.ts';
import { ModelError } from '../../../src/chat/model-error.ts';
import { createRequest } from '../../../src/chat/request.ts';
import { toRequestBody } from '../../../src/models/openai-responses/to-request-body.ts';
import type { WholeReading } from './wire-events.ts';
import {
  added,
  call,
  completed,
  done,
  message,
  read,
  reasoning,
  textEvent,
} from './wire-events.ts';

const at = fc.integer({ min: 0, max: 2 });
const words = fc.constantFrom('', 'a', 'ab', 'b', '\ud83d', '\ude00', '\ud83d\ude00', '{"a":1}');
const id = fc.constantFrom('x', 'y', '', '\ud83d', null);
const url = { type: 'url_citation', url: 'https://e.example/a' };

const item = fc.oneof(
  fc.tuple(id, words).map(([one, said]) => ({ ...message('', said), id: one })),
  fc.tuple(id, id, words).map(([one, callId, args]) => ({
    ...call('', '', args),
    id: one,
    call_id: callId,
  })),
  fc.tuple(words, words).map(([thought, state]) => reasoning('rs', thought, state)),
  fc.constant({ type: 'web_search_call', id: 'ws' }),
  fc.constant({ ...message('m', 'ab', { phase: 'commentary' }), status: 'incomplete' }),
  fc.constant({
    ...message('m', ''),
    content: [
      { type: 'output_text', text: 'ab', annotations: [url] },
      { type: 'refusal', refusal: 'No.' },
    ],
  }),
);
const event = fc.oneof(
  fc.tuple(at, item).map(([index, one]) => added(index, one)),
  fc.tuple(at, item).map(([index, one]) => done(index, one)),
  fc
    .tuple(
      fc.constantFrom(
        'output_text.delta',
        'output_text.done',
        'refusal.delta',
        'refusal.done',
        'reasoning_text.delta',
        'reasoning_summary_text.delta',
        'reasoning_summary_text.done',
        'function_call_arguments.delta',
        'function_call_arguments.done',
      ),
      at,
      at,
      words,
    )
    .map(([name, index, inner, said]) =>
      textEvent(name, index, {
        content_index: inner,
        summary_index: inner,
        delta: said,
        text: said,
        refusal: said,
        arguments: said,
      }),
    ),
  at.map((index) =>
    textEvent('output_text.annotation.added', index, { content_index: 0, annotation: url }),
  ),
  fc.anything(),
);

it('is an answer that can be sent back, or a ModelError', () => {
  let answers = 0;
  const stream = fc.tuple(fc.array(event, { maxLength: 12 }), fc.array(item, { maxLength: 3 }));
  fc.assert(
    fc.property(stream, ([events, output]) => {
      let reading: WholeReading;
      try {
        reading = read([...events, completed({ output })]);
      } catch (error) {
        expect(error).toBeInstanceOf(ModelError);
        return;
      }
      answers += 1;
      const { message: answer } = reading.response.output;
      const messages = [userMessage('q'), ...(answer === undefined ? [] : [answer])];
      const { body } = toRequestBody(createRequest({ messages }), 'm');
      expect(JSON.stringify(body).isWellFormed()).toBe(true);
    }),
    { numRuns: 2000 },
  );
  expect(answers).toBeGreaterThan(100);
});
