/** Options that both of OpenAI's APIs take in the same words. */
import { notExpressible } from '../adapter/not-expressible.ts';

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/**
 * @param api names the API in the error
 * @throws ChatError for an effort that the API does not know
 */
export function toOpenAiEffort(effort: string, api: string): (typeof efforts)[number] {
  const known = efforts.find((name) => name === effort);
  if (known !== undefined) return known;
  throw notExpressible(
    'options.reasoningEffort',
    `${api} knows only ${efforts.join(', ')}`,
    'invalid_options',
  );
}

/** Names of formats are held to the same letters and length as names of tools. */
const formatName = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * @param api names the API in the error
 * @throws ChatError for a name that the API does not take
 */
export function toOpenAiFormatName(name: string, api: string): string {
  if (formatName.test(name)) return name;
  throw notExpressible(
    'options.outputFormat.name',
    `${api} takes names of up to 64 letters, digits, _ and -`,
    'invalid_options',
    'unsupported_output_format',
  );
}
