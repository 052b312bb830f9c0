/** Writes images and documents as the content that the Responses API takes. */
import type { ResponseInputFile, ResponseInputImage } from 'openai/resources/responses/responses';
import type { ChatErrorCode } from '../../chat/chat-error.ts';
import type { Media } from '../../chat/media.ts';
import { dataUrl, mediaType } from '../adapter/media-type.ts';
import { notExpressible } from '../adapter/not-expressible.ts';

const imageTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
]);

/**
 * @param nested the concepts around the media, outermost first
 * @throws ChatError for a type or a source that the API does not take
 */
export function toWireMedia(
  media: Media,
  path: string,
  ...nested: readonly ChatErrorCode[]
): ResponseInputImage | ResponseInputFile {
  const type = mediaType(media.mime);
  const refuse = (why: string) => notExpressible(path, why, 'invalid_message', ...nested);
  const { source } = media;
  if (source.kind === 'blob') throw refuse('a blob must be resolved to bytes before');
  if (source.kind === 'uri' && !addresses.test(source.uri)) {
    throw refuse(
      'the Responses API takes media as bytes, by id, or by an http, https or data address',
    );
  }
  if (type.startsWith('image/')) {
    if (!imageTypes.has(type)) throw refuse(`the Responses API takes no ${type}`);
    return { type: 'input_image', detail: 'auto', ...imageSource(source, type) };
  }
  if (type.startsWith('audio/') || type.startsWith('video/')) {
    throw refuse(`the Responses API takes no ${type.slice(0, 5)}`);
  }
  return { type: 'input_file', ...fileSource(source, type, media.name) };
}

const addresses = /^(https?|data):/i;

type SendableSource = Exclude<Media['source'], { kind: 'blob' }>;

function imageSource(source: SendableSource, type: string): Partial<ResponseInputImage> {
  switch (source.kind) {
    case 'bytes':
      return { image_url: dataUrl(type, source.bytes) };
    case 'uri':
      return { image_url: source.uri };
    case 'ref':
      return { file_id: source.ref };
  }
}

function fileSource(
  source: SendableSource,
  type: string,
  name: string | undefined,
): Partial<ResponseInputFile> {
  const filename = name || `document.${type.slice(type.indexOf('/') + 1)}`;
  switch (source.kind) {
    case 'bytes':
      return { filename, file_data: dataUrl(type, source.bytes) };
    case 'uri':
      // A data address is the file itself, and only a file has a name.
      return /^data:/i.test(source.uri)
        ? { filename, file_data: source.uri }
        : { file_url: source.uri };
    case 'ref':
      return { file_id: source.ref };
  }
}
