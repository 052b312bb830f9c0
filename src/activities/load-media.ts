/** Puts the bytes of images and documents into a request, which carries them until then as the address of a blob. */
import { LRUCache } from 'lru-cache';
import type { Media } from '../chat/media.ts';
import type { Message } from '../chat/message.ts';
import type { Part } from '../chat/part.ts';
import type { ToolContent } from '../chat/tool-output.ts';
import type { BlobStore } from '../storage/blob-store.ts';

/** Base64 text kept: what one call sends, the next one sends again. */
const cacheCharacters = 64 * 1024 * 1024;

export type LoadMedia = (messages: readonly Message[], signal: AbortSignal) => Promise<Message[]>;

/**
 * Loads from `blobs`. Messages without blobs stay the same objects.
 * The returned function rejects with EverloopError `blob_missing`, `blob_store_failed`.
 */
export function createLoadMedia(blobs: BlobStore): LoadMedia {
  const cache = new LRUCache<string, string>({
    maxSize: cacheCharacters,
    sizeCalculation: (text) => text.length + 1,
  });
  const bytesOf = async (hash: string, signal: AbortSignal): Promise<string> => {
    const kept = cache.get(hash);
    if (kept !== undefined) return kept;
    const text = Buffer.from(await blobs.get(hash, { signal })).toString('base64');
    cache.set(hash, text);
    return text;
  };
  const loaded = async (media: Media, signal: AbortSignal): Promise<Media> =>
    media.source.kind === 'blob'
      ? { ...media, source: { kind: 'bytes', bytes: await bytesOf(media.source.hash, signal) } }
      : media;

  const partLoaded = async (part: Part, signal: AbortSignal): Promise<Part> => {
    if (part.kind === 'media') return { ...part, media: await loaded(part.media, signal) };
    if (part.kind !== 'tool_result') return part;
    const { output } = part.toolResult;
    const content = await Promise.all(
      (output.content ?? []).map(async (item): Promise<ToolContent> => {
        if (item.kind !== 'media') return item;
        return { ...item, media: await loaded(item.media, signal) };
      }),
    );
    return { ...part, toolResult: { ...part.toolResult, output: { ...output, content } } };
  };

  // One after another: a long transcript must not open all its blobs at once.
  return async (messages, signal) => {
    const all: Message[] = [];
    for (const message of messages) {
      if (!message.parts.some(hasBlob)) all.push(message);
      else {
        const parts = await Promise.all(message.parts.map((part) => partLoaded(part, signal)));
        all.push({ ...message, parts });
      }
    }
    return all;
  };
}

function hasBlob(part: Part): boolean {
  if (part.kind === 'media') return part.media.source.kind === 'blob';
  if (part.kind !== 'tool_result') return false;
  const { content = [] } = part.toolResult.output;
  return content.some((item) => item.kind === 'media' && item.media.source.kind === 'blob');
}
