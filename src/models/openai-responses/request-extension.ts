/** What an extension of the request's options may say to the Responses API: `service_tier`, `truncation`, … */
import type { RequestExtension } from '../adapter/request-extension.ts';

/**
 * The extension `openai/request`. `reasoning.summary` and `text.verbosity` are free; what would keep state
 * on the server is not.
 */
export const requestExtension: RequestExtension = {
  namespace: 'openai',
  owned: new Set([
    'model',
    'instructions',
    'input',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'max_output_tokens',
    'temperature',
    'top_p',
    'reasoning.effort',
    'text.format',
    'stream',
    'include',
    'store',
    'background',
    'previous_response_id',
    'conversation',
  ]),
};
