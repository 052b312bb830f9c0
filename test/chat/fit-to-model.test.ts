/** Media of tool results goes where an API can take it. */
import { describe, expect, it } from 'vitest';
import { checkSequencing } from '../../src/chat/check-sequencing.ts';
import { assistantMessage, toolMessage, userMessage } from '../../src/chat/create-message.ts';
import { imagePart, textPart, toolCallPart } from '../../src/chat/create-part.ts';
import { fitToModel } from '../../src/chat/fit-to-model.ts';
import { createRequest } from '../../src/chat/request.ts';

const image = imagePart('image/png', 'AAAA');
const asked = assistantMessage([
  toolCallPart({ id: 'a', name: 'shot' }),
  toolCallPart({ id: 'b', name: 'shot' }),
]);
const shown = toolMessage({
  id: 'a',
  name: 'shot',
  output: { content: [textPart('page'), image] },
});
const failed = toolMessage({ id: 'b', name: 'shot', output: { content: [image] }, isError: true });
const messages = [userMessage('look'), asked, shown, failed, assistantMessage('seen')];

describe('fitting messages to a model', () => {
  it('changes nothing where media is taken everywhere', () => {
    const fitted = fitToModel(messages, { toolResultMedia: 'all' });
    expect(fitted.report).toEqual([]);
    expect(fitted.messages.every((message, index) => message === messages[index])).toBe(true);
  });

  it('moves the media of a batch to one user message after it, names it and reports it', () => {
    const { messages: fitted, report } = fitToModel(messages, { toolResultMedia: 'none' });
    const pointer = textPart('[image/png: see the user message after the tool results]');
    expect(fitted).toEqual([
      messages[0],
      asked,
      toolMessage({ id: 'a', name: 'shot', output: { content: [textPart('page'), pointer] } }),
      toolMessage({ id: 'b', name: 'shot', output: { content: [pointer] }, isError: true }),
      userMessage([
        textPart('image/png from the result of call a:'),
        image,
        textPart('image/png from the result of call b:'),
        image,
      ]),
      messages[4],
    ]);
    expect(report.map(({ severity, path }) => [severity, path])).toEqual([
      ['defaulted', 'messages[2].parts[0].toolResult.output.content[1]'],
      ['defaulted', 'messages[3].parts[0].toolResult.output.content[0]'],
    ]);
  });

  it('moves only what error results hold where the others may hold media', () => {
    const { messages: fitted, report } = fitToModel(messages, { toolResultMedia: 'successful' });
    expect(fitted[2]).toBe(shown);
    expect(fitted).toHaveLength(6);
    expect(report).toHaveLength(1);
  });

  it('gives a valid request with its calls still answered, and has then nothing left to do', () => {
    const capabilities = { toolResultMedia: 'none' } as const;
    const { messages: fitted } = fitToModel(messages.slice(0, 4), capabilities);
    expect(fitted.at(-1)?.role).toBe('user');
    expect(checkSequencing(fitted)).toEqual([]);
    expect(createRequest({ messages: [...fitted] }).messages).toEqual(fitted);
    expect(fitToModel(fitted, capabilities)).toEqual({ messages: fitted, report: [] });
  });
});
