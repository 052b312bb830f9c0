/** Writes images, documents and audio as the content parts that Chat Completions takes. */
import type { ChatCompletionContentPart } from 'openai/resources/chat/completions';
import type { ChatError } from '../../chat/chat-error.ts';
import type { Media } from '../../chat/media.ts';
import { dataUrl, mediaType } from '../adapter/media-type.ts';
import { notExpressible } from '../adapter/not-expressible.ts';

/** One piece of a user message in the API's words. */
export type WireContentPart = ChatCompletionContentPart;

const imageTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
]);

const audioFormats: Readonly<Record<string, 'wav' | 'mp3'>> = {
  'audio/wav': 'wav',
  'audio/wave': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
};

/** @throws ChatError for a type or a source that the API does not take in a user message */
export function toWireMedia(media: Media, path: string): WireContentPart {
  const type = mediaType(media.mime);
  if (media.source.kind === 'blob') throw refused(path, 'a blob must be resolved to bytes before');
  if (type.startsWith('image/')) return image(media, type, path);
  if (type.startsWith('audio/')) return audio(media, type, path);
  if (type.startsWith('video/')) throw refused(path, 'Chat Completions takes no video');
  return file(media, type, path);
}

/**
 * The id of audio that the model itself spoke: all the API takes in an assistant message.
 * @throws ChatError for other media, and audio without an id
 */
export function toWireAudioId(media: Media, path: string): string {
  const id = media.source.kind === 'ref' ? media.source.ref : media.id;
  if (!mediaType(media.mime).startsWith('audio/') || !id) {
    throw refused(path, 'Chat Completions takes assistant media only as the id of its own audio');
  }
  return id;
}

function image({ source }: Media, type: string, path: string): WireContentPart {
  if (!imageTypes.has(type)) throw refused(path, `Chat Completions takes no ${type}`);
  if (source.kind === 'bytes')
    return { type: 'image_url', image_url: { url: dataUrl(type, source.bytes) } };
  if (source.kind === 'uri' && /^(https?|data):/i.test(source.uri)) {
    return { type: 'image_url', image_url: { url: source.uri } };
  }
  throw refused(
    path,
    'Chat Completions takes images as bytes or by an http, https or data address',
  );
}

function audio({ source }: Media, type: string, path: string): WireContentPart {
  const format = audioFormats[type];
  if (format === undefined || source.kind !== 'bytes') {
    throw refused(path, 'Chat Completions takes audio only as bytes, wav or mp3');
  }
  return { type: 'input_audio', input_audio: { data: source.bytes, format } };
}

function file({ source, name }: Media, type: string, path: string): WireContentPart {
  if (source.kind === 'ref') return { type: 'file', file: { file_id: source.ref } };
  if (source.kind === 'bytes') {
    const filename = name ?? `document.${type.slice(type.indexOf('/') + 1)}`;
    return { type: 'file', file: { file_data: dataUrl(type, source.bytes), filename } };
  }
  throw refused(path, 'Chat Completions takes documents as bytes or by file id, not by address');
}

function refused(path: string, why: string): ChatError {
  return notExpressible(path, why, 'invalid_message', 'invalid_part');
}
