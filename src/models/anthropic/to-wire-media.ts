/** Writes images and documents as the blocks that the API takes from users and tools. */
import type { DocumentBlockParam, ImageBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { ChatError } from '../../chat/chat-error.ts';
import type { Media } from '../../chat/media.ts';
import { mediaType } from '../adapter/media-type.ts';
import { notExpressible } from '../adapter/not-expressible.ts';

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

/** @throws ChatError for a type or a source that the API does not take */
export function toWireMedia(media: Media, path: string): ImageBlockParam | DocumentBlockParam {
  const type = mediaType(media.mime);
  if (media.source.kind === 'blob') throw refused(path, 'a blob must be resolved to bytes before');
  if (type.startsWith('image/')) return { type: 'image', source: imageSource(media, type, path) };
  return {
    type: 'document',
    source: documentSource(media, type, path),
    ...(media.name ? { title: media.name } : {}),
  };
}

function imageSource({ source }: Media, type: string, path: string): ImageBlockParam['source'] {
  const known = imageTypes.find((name) => name === type);
  if (known === undefined) throw refused(path, `Anthropic takes no ${type}`);
  if (source.kind === 'bytes') return { type: 'base64', media_type: known, data: source.bytes };
  if (source.kind === 'ref') return { type: 'file', file_id: source.ref };
  return { type: 'url', url: webAddress(source, path) };
}

function documentSource(
  { source }: Media,
  type: string,
  path: string,
): DocumentBlockParam['source'] {
  if (type !== 'application/pdf' && type !== 'text/plain') {
    throw refused(path, `Anthropic takes no ${type}`);
  }
  if (source.kind === 'ref') return { type: 'file', file_id: source.ref };
  if (type === 'text/plain') {
    if (source.kind === 'bytes')
      return { type: 'text', media_type: type, data: text(source.bytes, path) };
    throw refused(path, 'Anthropic takes text documents as bytes or by file id');
  }
  if (source.kind === 'bytes') return { type: 'base64', media_type: type, data: source.bytes };
  return { type: 'url', url: webAddress(source, path) };
}

function webAddress(source: Media['source'], path: string): string {
  if (source.kind === 'uri' && /^https?:/i.test(source.uri)) return source.uri;
  throw refused(path, 'Anthropic takes addresses of the web only');
}

function text(base64: string, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    throw refused(path, 'the document is no UTF-8 text');
  }
}

function refused(path: string, why: string): ChatError {
  return notExpressible(path, why, 'invalid_message', 'invalid_part');
}
