/** Moves the bytes of images and documents into the blob store, so that messages carry an address in their place. */
import { isBase64 } from '../chat/is-base64.ts';
import type { Media } from '../chat/media.ts';
import type { BlobStore } from './blob-store.ts';

/** Characters of base64 that stay in a message: for an icon a blob would cost more than it spares. */
const maxInlineMedia = 8 * 1024;

/**
 * The media with its bytes in the blob store; the same object when they are few, or are there already. What is no
 * base64 stays as it is, for whoever checks the message.
 * @throws EverloopError `blob_store_failed`
 */
export async function keepMedia(blobs: Pick<BlobStore, 'put'>, media: Media): Promise<Media> {
  const { source, mime } = media;
  if (source.kind !== 'bytes' || source.bytes.length <= maxInlineMedia) return media;
  if (!isBase64(source.bytes)) return media;
  const bytes = Buffer.from(source.bytes, 'base64');
  const hash = await blobs.put(bytes, { type: mime });
  return { ...media, source: { kind: 'blob', hash, size: bytes.byteLength } };
}
