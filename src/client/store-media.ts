/** Moves the images and documents of what a user says into the blob store before it is sent. */
import type { Message } from '../chat/message.ts';
import type { Part } from '../chat/part.ts';
import type { ToolContent } from '../chat/tool-output.ts';
import { userMessageProblem } from '../chat/user-message-problem.ts';
import type { StartInput, UserInput } from '../loop/run-input.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { keepMedia } from '../storage/keep-media.ts';

/**
 * The start with all large media by their address in the blob store; as it is without a store.
 * @throws EverloopError `blob_store_failed`
 */
export async function withStoredMedia(
  blobs: BlobStore | undefined,
  start: StartInput,
): Promise<StartInput> {
  if (blobs === undefined) return start;
  const { input, history } = start;
  const stored: Message[] = [];
  // One after another: a long history must not open all its blobs at once.
  for (const message of history ?? []) stored.push(await storeParts(blobs, message));
  return {
    ...start,
    input: typeof input === 'string' ? input : await storeParts(blobs, input),
    ...(history !== undefined && { history: stored }),
  };
}

/**
 * The user's message with large media by their address in the blob store; as it is without a store, and when it is
 * none that a run takes.
 * @throws EverloopError `blob_store_failed`
 */
export async function storeMedia(
  blobs: BlobStore | undefined,
  message: UserInput,
): Promise<UserInput> {
  if (blobs === undefined || typeof message === 'string') return message;
  return userMessageProblem(message) === undefined ? await storeParts(blobs, message) : message;
}

async function storeParts(blobs: BlobStore, message: Message): Promise<Message> {
  return { ...message, parts: await Promise.all(message.parts.map((part) => stored(blobs, part))) };
}

async function stored(blobs: BlobStore, part: Part): Promise<Part> {
  if (part.kind === 'media') return { ...part, media: await keepMedia(blobs, part.media) };
  if (part.kind !== 'tool_result') return part;
  const { output } = part.toolResult;
  if (output.content === undefined) return part;
  const content = await Promise.all(
    output.content.map(async (item): Promise<ToolContent> => {
      if (item.kind !== 'media') return item;
      return { ...item, media: await keepMedia(blobs, item.media) };
    }),
  );
  return { ...part, toolResult: { ...part.toolResult, output: { ...output, content } } };
}
