/** Writes the options of a request in the words of the Messages API. */
import type {
  JSONOutputFormat,
  MessageCreateParamsStreaming,
  OutputConfig,
} from '@anthropic-ai/sdk/resources/messages';
import type { ChatError } from '../../chat/chat-error.ts';
import type { Options } from '../../chat/options.ts';
import type { OutputFormat } from '../../chat/output-format.ts';
import type { ReportEntry } from '../../chat/report.ts';
import { isBlank } from '../../chat/white-space.ts';
import { notExpressible } from '../adapter/not-expressible.ts';

/**
 * Sent where a request sets no limit, because the API wants one. Thinking counts towards it, so it leaves
 * room for that; it is as much as the smaller of the current models can write.
 */
export const defaultMaxTokens = 32_000;

type Effort = NonNullable<OutputConfig['effort']>;

/** Options that are members of the body, and the two that are members of its `output_config`. */
interface WireOptions extends Pick<MessageCreateParamsStreaming, 'max_tokens' | 'stop_sequences'> {
  readonly effort?: Effort;
  readonly format?: JSONOutputFormat;
}

/**
 * Adds to `report` a limit that was not given, and what a format says beyond its schema.
 * @throws ChatError for an option that the API does not have
 */
export function toWireOptions(options: Options, report: ReportEntry[]): WireOptions {
  for (const [name, what] of absent) {
    if (options[name] !== undefined) throw refused(name, `Anthropic has no ${what}`);
  }
  if (options.maxOutputTokens === undefined) {
    report.push({
      severity: 'defaulted',
      path: 'options.maxOutputTokens',
      reason: `Anthropic wants a limit; ${defaultMaxTokens} is sent`,
    });
  }
  const stops = options.stop ?? [];
  const blank = stops.findIndex((stop) => isBlank(stop));
  if (blank >= 0) throw refused(`stop[${blank}]`, 'Anthropic takes no blank stop sequence');
  const format = toFormat(options.outputFormat, report);
  return {
    max_tokens: options.maxOutputTokens ?? defaultMaxTokens,
    ...(stops.length === 0 ? {} : { stop_sequences: [...stops] }),
    ...(options.reasoningEffort ? { effort: toEffort(options.reasoningEffort) } : {}),
    ...(format === undefined ? {} : { format }),
  };
}

/** The API refuses the sampling options even at their defaults, and never had the penalties. */
const absent = [
  ['temperature', 'temperature'],
  ['topP', 'top_p'],
  ['topK', 'top_k'],
  ['frequencyPenalty', 'frequency penalty'],
  ['presencePenalty', 'presence penalty'],
] as const;

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

function toEffort(effort: string): Effort {
  const known = efforts.find((name) => name === effort);
  if (known !== undefined) return known;
  throw refused('reasoningEffort', `Anthropic knows only ${efforts.join(', ')}`);
}

/** The name of a format has no place in the API, and says nothing that the schema does not. */
function toFormat(
  format: OutputFormat | undefined,
  report: ReportEntry[],
): JSONOutputFormat | undefined {
  if (format === undefined || format.type === 'text') return undefined;
  if (format.type === 'json') {
    throw notExpressible(
      'options.outputFormat',
      'Anthropic answers in JSON only by a schema',
      'invalid_options',
      'unsupported_output_format',
    );
  }
  if (format.description !== undefined) {
    report.push({
      severity: 'omitted',
      path: 'options.outputFormat.description',
      reason: 'Anthropic takes no description of a format',
    });
  }
  return { type: 'json_schema', schema: format.schema };
}

function refused(name: string, why: string): ChatError {
  return notExpressible(`options.${name}`, why, 'invalid_options');
}
