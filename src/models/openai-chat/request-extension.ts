/** Adds request members that only Chat Completions has, as an extension of the request's options. */
import type { ChatError } from '../../chat/chat-error.ts';
import type { Extensions } from '../../chat/extensions.ts';
import { notExpressible } from './not-expressible.ts';
import type { RequestBody } from './to-request-body.ts';

/** The extension whose members are merged into the body: `seed`, `store`, `service_tier`, `metadata`, … */
const requestExtension = 'openai-chat/request';

/** Members that the protocol has words for, or whose answer this adapter could not read. */
const owned: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'max_completion_tokens',
  'max_tokens',
  'temperature',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'stop',
  'reasoning_effort',
  'stream',
  'n',
  'functions',
  'function_call',
  'modalities',
  'audio',
]);

/**
 * Merges the extension into the body, members in alphabetical order, `stream_options` member by member.
 * Extensions of other adapters are not addressed to this one.
 *
 * @throws ChatError for a member that is owned, or another extension of this namespace
 */
export function withExtension(body: RequestBody, extensions: Extensions | undefined): RequestBody {
  const given = extensions ?? {};
  const unknown = Object.keys(given).find(
    (key) => key.startsWith('openai-chat/') && key !== requestExtension,
  );
  if (unknown !== undefined) throw refused(`["${unknown}"]`, 'is no extension of this adapter');

  const extension = given[requestExtension];
  if (extension === undefined) return body;
  if (typeof extension !== 'object' || extension === null || Array.isArray(extension)) {
    throw refused(`["${requestExtension}"]`, 'must be an object');
  }
  const members = Object.entries(extension).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name] of members) {
    if (owned.has(name)) {
      throw refused(`["${requestExtension}"].${name}`, 'is set by the adapter itself');
    }
  }
  const merged: RequestBody = { ...body, ...Object.fromEntries(members) };
  const streamOptions = { ...body.stream_options, ...merged.stream_options };
  return { ...merged, stream_options: streamOptions };
}

function refused(where: string, why: string): ChatError {
  return notExpressible(`options.extensions${where}`, why, 'invalid_options');
}
