/** Puts media of tool results where an API can take it. */
import { textPart } from './create-part.ts';
import type { MediaPart } from './media-part.ts';
import type { Message } from './message.ts';
import type { Part, ToolResultPart } from './part.ts';
import type { ReportEntry } from './report.ts';
import type { ToolContent } from './tool-output.ts';

/** What an API can take. */
export interface ModelCapabilities {
  /** Media in tool results: in all of them, in all but error results, or in none. */
  readonly toolResultMedia: 'all' | 'successful' | 'none';
}

/** The messages to send, and what was put differently. */
export interface FittedMessages {
  readonly messages: readonly Message[];
  readonly report: readonly ReportEntry[];
}

/** Media on its way out of tool results, each piece after a text that says where it is from. */
type Moved = Part[];

/**
 * Moves media that the API cannot take in a tool result to one user message after the batch of results;
 * a text stands in its place and each move is reported. Pure; messages that fit stay the same objects.
 */
export function fitToModel(
  messages: readonly Message[],
  capabilities: ModelCapabilities,
): FittedMessages {
  const fitted: Message[] = [];
  const report: ReportEntry[] = [];
  let moved: Moved = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'tool') {
      fitted.push(...following(moved), message);
      moved = [];
      continue;
    }
    const parts = message.parts.map((part, at) =>
      part.kind === 'tool_result' && mustMove(part, capabilities)
        ? withoutMedia(part, `messages[${index}].parts[${at}]`, moved, report)
        : part,
    );
    const isSame = parts.every((part, at) => part === message.parts[at]);
    fitted.push(isSame ? message : { ...message, parts });
  }
  return { messages: [...fitted, ...following(moved)], report };
}

function following(moved: Moved): Message[] {
  return moved.length === 0 ? [] : [{ role: 'user', parts: moved }];
}

function mustMove(part: ToolResultPart, { toolResultMedia }: ModelCapabilities): boolean {
  const { output, isError = false } = part.toolResult;
  const isTaken = toolResultMedia === 'all' || (toolResultMedia === 'successful' && !isError);
  return !isTaken && (output.content ?? []).some((item) => item.kind === 'media');
}

function withoutMedia(
  part: ToolResultPart,
  path: string,
  moved: Moved,
  report: ReportEntry[],
): ToolResultPart {
  const { id, output } = part.toolResult;
  const content = (output.content ?? []).map((item, index): ToolContent => {
    if (item.kind !== 'media') return item;
    const label = labelOf(item);
    moved.push(textPart(`${label} from the result of call ${id}:`), item);
    report.push({
      severity: 'defaulted',
      path: `${path}.toolResult.output.content[${index}]`,
      reason: 'the media was moved to a user message after the tool results',
    });
    return textPart(`[${label}: see the user message after the tool results]`);
  });
  return { ...part, toolResult: { ...part.toolResult, output: { ...output, content } } };
}

function labelOf({ media }: MediaPart): string {
  return media.name === undefined || media.name === '' ? media.mime : `${media.mime} ${media.name}`;
}
