/** Writes the messages of a request as Messages API messages. */
import type { ContentBlockParam, TextBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { ModelCapabilities } from '../../chat/fit-to-model.ts';
import { fitToModel } from '../../chat/fit-to-model.ts';
import type { Message } from '../../chat/message.ts';
import type { ReportEntry } from '../../chat/report.ts';
import { isBlank } from '../../chat/white-space.ts';
import { notExpressible } from '../adapter/not-expressible.ts';
import type { JsonSource } from './json-source.ts';
import { toWireAssistant } from './to-wire-assistant.ts';
import { toWireMedia } from './to-wire-media.ts';
import { toWireResults } from './to-wire-results.ts';
import { createWireCallIds } from './wire-call-ids.ts';

/** One block of a message; blocks of kinds not known here are sent as they came. */
type WireBlock = ContentBlockParam | JsonSource;

/** One message. Consecutive ones of a role are one turn to the API. */
export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: WireBlock[];
}

/** Results that are errors hold text only. */
const capabilities: ModelCapabilities = { toolResultMedia: 'successful' };

/** One block for each part of the leading system messages. @throws ChatError for blank text */
export function toWireSystem(messages: readonly Message[]): TextBlockParam[] {
  return messages.flatMap((message, index) =>
    message.role === 'system' ? textBlocks(message, `messages[${index}]`) : [],
  );
}

/**
 * All other messages; the results of a batch of calls become one user message.
 *
 * Adds to `report` what stays behind or is put differently.
 * @throws ChatError for a part that the API cannot express
 */
export function toWireMessages(messages: readonly Message[], report: ReportEntry[]): WireMessage[] {
  const fitted = fitToModel(messages, capabilities);
  report.push(...fitted.report);
  const ids = createWireCallIds();
  const wire: WireMessage[] = [];
  let index = -1;
  let results: WireBlock[] | undefined;
  for (const message of fitted.messages) {
    // Fitting adds messages after results; what is wrong with one is wrong with the results before it.
    const given = messages[index + 1];
    if (message === given || (message.role === 'tool' && given?.role === 'tool')) index += 1;
    const path = `messages[${index}]`;
    if (message.role === 'tool') {
      const blocks = toWireResults(message, path, ids, report);
      if (results === undefined) {
        results = blocks;
        wire.push({ role: 'user', content: results });
      } else results.push(...blocks);
      continue;
    }
    results = undefined;
    if (message.role === 'user')
      wire.push({ role: 'user', content: userBlocks(message, path, report) });
    if (message.role !== 'assistant') continue;
    const isLast = message === fitted.messages.at(-1);
    const content = toWireAssistant(message, path, isLast, ids, report);
    // Of reasoning alone, issued by another provider, nothing is left to send.
    if (content.length > 0) wire.push({ role: 'assistant', content });
  }
  if (wire.length > 0) return wire;
  throw notExpressible('messages', 'Anthropic needs a message besides the instructions');
}

function userBlocks(message: Message, path: string, report: ReportEntry[]): WireBlock[] {
  return message.parts.flatMap((part, at): WireBlock[] => {
    const here = `${path}.parts[${at}]`;
    if (part.kind === 'media') return [toWireMedia(part.media, `${here}.media`)];
    if (part.kind !== 'text') return [];
    if ((part.citations ?? []).length > 0) {
      report.push({
        severity: 'omitted',
        path: `${here}.citations`,
        reason: 'Anthropic takes no citations from users',
      });
    }
    return [textBlock(part.text, here)];
  });
}

function textBlocks(message: Message, path: string): TextBlockParam[] {
  return message.parts.flatMap((part, at) =>
    part.kind === 'text' ? [textBlock(part.text, `${path}.parts[${at}]`)] : [],
  );
}

function textBlock(text: string, path: string): TextBlockParam {
  if (!isBlank(text)) return { type: 'text', text };
  throw notExpressible(path, 'Anthropic takes no blank text', 'invalid_message', 'invalid_part');
}
