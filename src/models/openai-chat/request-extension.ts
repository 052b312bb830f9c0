/** What an extension of the request's options may say to Chat Completions: `seed`, `store`, `metadata`, … */
import type { RequestExtension } from '../adapter/request-extension.ts';

/** The extension `openai-chat/request`. */
export const requestExtension: RequestExtension = {
  namespace: 'openai-chat',
  owned: new Set([
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
  ]),
};
