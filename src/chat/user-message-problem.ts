/** Checks a user message without any schema: Workflow code takes messages from everywhere, and loading the schemas would cost every run. */

import { isBase64 } from './is-base64.ts';
import { isMimeType } from './is-mime-type.ts';
import { isRecord } from './is-record.ts';
import { isAbsoluteUri } from './is-uri.ts';
import { isBlank } from './white-space.ts';

/**
 * What keeps a value from being a user message of text and media; undefined when nothing does.
 * Stricter than the schema, never laxer: it takes no metadata and no citations, which users do not write.
 */
export function userMessageProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return 'must be text or a user message';
  if (value['role'] !== 'user') return 'role: must be "user"';
  const strange = strangeMember(value, ['role', 'parts']);
  if (strange !== undefined) return strange;
  const { parts } = value;
  if (!Array.isArray(parts) || parts.length === 0) return 'parts: must hold at least one part';
  for (const [index, part] of parts.entries()) {
    const problem = partProblem(part);
    if (problem !== undefined) return `parts.${index}: ${problem}`;
  }
  return undefined;
}

function partProblem(part: unknown): string | undefined {
  if (!isRecord(part)) return 'must be a part';
  if (part['kind'] === 'text') {
    return isText(part['text'])
      ? strangeMember(part, ['kind', 'text'])
      : 'text: must be well-formed text, not empty';
  }
  if (part['kind'] === 'media') {
    return mediaProblem(part['media']) ?? strangeMember(part, ['kind', 'media']);
  }
  return 'kind: must be "text" or "media"';
}

function mediaProblem(media: unknown): string | undefined {
  if (!isRecord(media)) return 'media: must be media';
  const { mime, source, name } = media;
  if (typeof mime !== 'string' || !isMimeType(mime)) return 'media.mime: must be a MIME type';
  if (name !== undefined && !isText(name)) return 'media.name: must be text';
  if (!isRecord(source)) return 'media.source: must be a source';
  const problem = sourceProblem(source);
  return problem === undefined
    ? strangeMember(media, ['mime', 'source', 'name'])
    : `media.source: ${problem}`;
}

function sourceProblem(source: Record<string, unknown>): string | undefined {
  const { kind } = source;
  if (kind === 'blob') return blobProblem(source);
  if (kind !== 'bytes' && kind !== 'uri' && kind !== 'ref') {
    return 'kind: must be "bytes", "uri", "ref" or "blob"';
  }
  const value = source[kind];
  if (!isText(value)) return `${kind}: must be text`;
  if (kind === 'bytes' && !isBase64(value)) return 'bytes: must be padded standard base64';
  if (kind === 'uri' && !isAbsoluteUri(value)) return 'uri: must be an absolute URI';
  if (kind === 'ref' && isBlank(value)) return 'ref: must not be blank';
  return strangeMember(source, ['kind', kind]);
}

function blobProblem(source: Record<string, unknown>): string | undefined {
  const { hash, size } = source;
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) return 'hash: must be a SHA-256';
  if (!Number.isSafeInteger(size) || Number(size) < 0) return 'size: must be a number of bytes';
  return strangeMember(source, ['kind', 'hash', 'size']);
}

/** Whether the value is text that a message can hold: well-formed, not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed();
}

function strangeMember(value: object, known: readonly string[]): string | undefined {
  const strange = Object.keys(value).find((name) => !known.includes(name));
  return strange === undefined ? undefined : `has a member ${JSON.stringify(strange)} too many`;
}
