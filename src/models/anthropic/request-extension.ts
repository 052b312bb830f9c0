/** What an extension of the request's options may say to the Messages API: `thinking`, `service_tier`, `metadata`, … */
import type { Extensions } from '../../chat/extensions.ts';
import type { JsonObject } from '../../chat/json.ts';
import { membersOf } from '../adapter/members-of.ts';
import { notExpressible } from '../adapter/not-expressible.ts';
import type { RequestExtension } from '../adapter/request-extension.ts';

const extensionName = 'anthropic/request';

/**
 * The extension `anthropic/request`. Its `cache_control` takes the place of the default (null: no cache),
 * and its `tools` are added to the request's own.
 */
export const requestExtension: RequestExtension = {
  namespace: 'anthropic',
  owned: new Set([
    'model',
    'messages',
    'system',
    'max_tokens',
    'temperature',
    'top_k',
    'top_p',
    'stop_sequences',
    'tool_choice',
    'output_config.format',
    'output_config.effort',
    'stream',
  ]),
};

/**
 * Takes the tools out of the extension: those that Anthropic runs or defines itself, such as web search.
 * @throws ChatError where they are no such tools; tools of the caller have a place in the request
 */
export function takeProviderTools(extensions: Extensions | undefined): {
  readonly tools: readonly JsonObject[];
  readonly extensions: Extensions | undefined;
} {
  const extension = membersOf(extensions?.[extensionName]);
  if (extensions === undefined || extension === undefined || !Object.hasOwn(extension, 'tools')) {
    return { tools: [], extensions };
  }
  const own = extensions[extensionName];
  if (!isObject(own)) return { tools: [], extensions };
  const { tools, ...rest } = own;
  const path = `options.extensions["${extensionName}"].tools`;
  if (!Array.isArray(tools) || !tools.every(isProviderTool)) {
    throw notExpressible(
      path,
      'must list tools of Anthropic, each with its type; other tools belong to the request',
      'invalid_options',
    );
  }
  return { tools, extensions: { ...extensions, [extensionName]: rest } };
}

function isProviderTool(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  const { type } = value;
  return typeof type === 'string' && type !== 'custom';
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
