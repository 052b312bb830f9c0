/** Transcripts in the blob store: segments of messages, and one list that names them in order. */
import * as z from 'zod/mini';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { EverloopError } from '../everloop-error.ts';
import type { TranscriptRef } from '../loop/transcript-ref.ts';
import type { BlobStore } from './blob-store.ts';

/** Messages of a segment at most: few blobs for a long run, little to read for a page of it. */
const segmentMessages = 100;
/** A segment is closed before it grows beyond this, unless one message alone does; bytes of JSON. */
const segmentBytes = 4 * 1024 * 1024;

/** `take`: only the first so many of its messages belong to the transcript; the rest is of the run that wrote it. */
const Segment = z.object({
  hash: z.string(),
  messages: z.int(),
  bytes: z.int(),
  take: z.optional(z.int()),
});
type Segment = z.infer<typeof Segment>;
/** Read tolerantly: a later version may say more. */
const SegmentList = z.object({ version: z.int(), segments: z.array(Segment) });
const SegmentContent = z.object({
  version: z.int(),
  messages: z.array(z.custom<TranscriptMessage>(isMessage)),
});

/**
 * Adds messages to a sealed transcript, or to the first `keep` messages of it; what is sealed stays as it is, so
 * that runs may share it.
 * @throws EverloopError `blob_store_failed`, `blob_missing`
 */
export async function writeTranscript(
  blobs: BlobStore,
  sealed: TranscriptRef | undefined,
  messages: readonly TranscriptMessage[],
  keep: number = Number.POSITIVE_INFINITY,
): Promise<TranscriptRef> {
  const before = sealed === undefined ? [] : firstOf(await readList(blobs, sealed), keep);
  const fresh = await Promise.all(
    segmentTexts(messages).map(async (texts): Promise<Segment> => {
      const bytes = Buffer.from(`{"version":1,"messages":[${texts.join(',')}]}`);
      const hash = await blobs.put(bytes, { type: 'application/json' });
      return { hash, messages: texts.length, bytes: bytes.byteLength };
    }),
  );
  const segments = [...before, ...fresh];
  const list = Buffer.from(JSON.stringify({ version: 1, segments }));
  return {
    hash: await blobs.put(list, { type: 'application/json' }),
    messages: segments.reduce((sum, segment) => sum + sizeOf(segment), 0),
    bytes: segments.reduce((sum, segment) => sum + segment.bytes, 0),
  };
}

/**
 * The sealed messages from index `since` on, up to and without `until`.
 * @throws EverloopError `blob_missing`, `blob_store_failed`
 */
export async function readTranscript(
  blobs: BlobStore,
  ref: TranscriptRef,
  since = 0,
  until: number = Number.POSITIVE_INFINITY,
): Promise<readonly TranscriptMessage[]> {
  const messages: TranscriptMessage[] = [];
  let first = 0;
  for (const segment of await readList(blobs, ref)) {
    const size = sizeOf(segment);
    if (first + size > since && first < until) {
      const content = await readJson(blobs, segment.hash, SegmentContent);
      const end = Math.min(size, until - first);
      messages.push(...content.messages.slice(Math.max(0, since - first), end));
    }
    first += size;
  }
  return messages;
}

/** Messages of the transcript that a segment holds. */
function sizeOf({ messages, take = messages }: Segment): number {
  return take;
}

/** The segments that hold the first `count` messages. */
function firstOf(segments: readonly Segment[], count: number): readonly Segment[] {
  const kept: Segment[] = [];
  let left = count;
  for (const segment of segments) {
    if (left <= 0) break;
    kept.push(sizeOf(segment) <= left ? segment : { ...segment, take: left });
    left -= sizeOf(segment);
  }
  return kept;
}

async function readList(blobs: BlobStore, { hash }: TranscriptRef): Promise<readonly Segment[]> {
  return (await readJson(blobs, hash, SegmentList)).segments;
}

async function readJson<T>(
  blobs: BlobStore,
  hash: string,
  schema: { safeParse(value: unknown): { success: boolean; data?: T } },
): Promise<T> {
  const text = new TextDecoder().decode(await blobs.get(hash));
  const { success, data } = schema.safeParse(parsed(text));
  if (success && data !== undefined) return data;
  throw new EverloopError('blob_store_failed', `blob ${hash} holds no part of a transcript`, {
    hint: 'the hash is right and the content is not: it was written by another program',
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The messages as JSON texts, cut into segments. */
function segmentTexts(messages: readonly TranscriptMessage[]): readonly (readonly string[])[] {
  const segments: string[][] = [];
  let bytes = 0;
  for (const message of messages) {
    const text = JSON.stringify(message);
    const size = Buffer.byteLength(text);
    const last = segments.at(-1);
    if (last === undefined || last.length >= segmentMessages || bytes + size > segmentBytes) {
      segments.push([text]);
      bytes = size;
    } else {
      last.push(text);
      bytes += size;
    }
  }
  return segments;
}

/** They were messages when they were written; nobody else writes under their hash. */
function isMessage(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'role' in value && 'id' in value;
}
