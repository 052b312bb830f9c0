/** Short views of a transcript for assertions. */
import { toolOutputText } from '../../src/chat/text-of.ts';
import type { TranscriptMessage } from '../../src/chat/transcript-message.ts';

/** The text of every tool result, in transcript order. */
export function resultTexts(
  messages: readonly Pick<TranscriptMessage, 'parts'>[],
): readonly string[] {
  return messages.flatMap((message) =>
    message.parts.flatMap((part) =>
      part.kind === 'tool_result' ? [toolOutputText(part.toolResult.output) ?? ''] : [],
    ),
  );
}

/** Every tool result, in transcript order. */
export function resultsOf(
  messages: readonly TranscriptMessage[],
): readonly { readonly id: string; readonly text: string; readonly isError: boolean }[] {
  return messages.flatMap((message) =>
    message.parts.flatMap((part) => {
      if (part.kind !== 'tool_result') return [];
      const { id, output, isError = false } = part.toolResult;
      return [{ id, text: toolOutputText(output) ?? '', isError }];
    }),
  );
}
