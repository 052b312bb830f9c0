/** Makes of a tool's result one that history takes, whatever its size and whatever the blob store does. */
import { Context } from '@temporalio/activity';
import { textOutput } from '../chat/create-tool-output.ts';
import type { ToolOutput } from '../chat/tool-output.ts';
import type { IdentifiedMessage } from '../chat/transcript-message.ts';
import { isRecordable } from './is-recordable.ts';
import type { ResultLimit } from './keep-output.ts';
import { keepOutput } from './keep-output.ts';
import type { Keeper } from './keeper.ts';
import { limitOutput } from './tool-output.ts';

/** The message of a result, with its bytes in the store as far as they are many. Error results are cut, not kept. */
export async function fitResult(
  message: IdentifiedMessage,
  limit: ResultLimit,
  store: Keeper,
): Promise<IdentifiedMessage> {
  const [part] = message.parts;
  if (part?.kind !== 'tool_result') throw new Error('a message without a tool result');
  const { id, name, output: whole, isError = false } = part.toolResult;
  const { log } = Context.current();
  const { output, metadata } = await keepOutput(
    whole,
    isError ? { ...limit, reader: undefined } : limit,
    store,
    (error) => log.warn('a result could not be put into the blob store', { error }),
  );
  const holding = (said: ToolOutput, isFailure: boolean): IdentifiedMessage => ({
    ...message,
    parts: [
      {
        ...part,
        ...(metadata !== undefined && { metadata: { ...part.metadata, ...metadata } }),
        toolResult: { id, name, output: said, ...(isFailure && { isError: true }) },
      },
    ],
  });
  const fitting = [
    holding(output, isError),
    // The store failed, and what stays in the message is too much of it.
    holding(limitOutput(output, limit.maxResultBytes), isError),
  ].find(isRecordable);
  return fitting ?? holding(textOutput(tooLarge(name)), true);
}

function tooLarge(name: string): string {
  return `${name} finished, but its result is too large to keep. Ask for a smaller part.`;
}
