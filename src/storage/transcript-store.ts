/** Transcripts in the blob store: segments of messages, and lists that name them; a list goes on from the one before it. */
import * as z from 'zod/mini';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { EverloopError } from '../everloop-error.ts';
import { TranscriptRef } from '../loop/transcript-ref.ts';
import type { BlobStore } from './blob-store.ts';

/** Messages of a segment at most: few blobs for a long run, little to read for a page of it. */
const segmentMessages = 100;
/** A segment is closed before it grows beyond this, unless one message alone does; bytes of JSON. */
const segmentBytes = 4 * 1024 * 1024;
/** Lists that go on from one another at most, before one names all segments: each is a blob to be read. */
const maxDepth = 50;

const Segment = z.object({ hash: z.string(), messages: z.int(), bytes: z.int() });
type Segment = z.infer<typeof Segment>;
/** Read tolerantly: a later version may say more. */
const SegmentList = z.object({
  version: z.int(),
  /** The transcript that this one goes on from, or the first part of it. */
  before: z.optional(TranscriptRef),
  /** Lists that stand before it. */
  depth: z.optional(z.int()),
  segments: z.array(Segment),
});
type SegmentList = z.infer<typeof SegmentList>;
const SegmentContent = z.object({
  version: z.int(),
  messages: z.array(z.custom<TranscriptMessage>(isMessage)),
});

/**
 * Adds messages to a sealed transcript, or to the first `keep` messages of it; what is sealed stays as it is, so
 * that runs may share it. What is written does not depend on what is there already.
 * @throws EverloopError `blob_store_failed`, `blob_missing`
 */
export async function writeTranscript(
  blobs: BlobStore,
  sealed: TranscriptRef | undefined,
  messages: readonly TranscriptMessage[],
  keep: number = Number.POSITIVE_INFINITY,
): Promise<TranscriptRef> {
  const before = sealed && { ...sealed, messages: Math.min(keep, sealed.messages) };
  if (before !== undefined && messages.length === 0) return before;
  const segments = await Promise.all(
    segmentTexts(messages).map(async (texts): Promise<Segment> => {
      const bytes = Buffer.from(`{"version":1,"messages":[${texts.join(',')}]}`);
      const hash = await blobs.put(bytes, { type: 'application/json' });
      return { hash, messages: texts.length, bytes: bytes.byteLength };
    }),
  );
  const list = await listAfter(blobs, before, segments);
  const text = Buffer.from(JSON.stringify({ version: 1, ...list }));
  return {
    hash: await blobs.put(text, { type: 'application/json' }),
    messages: (before?.messages ?? 0) + messages.length,
    bytes: (before?.bytes ?? 0) + segments.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** The list of a transcript that goes on with these segments. */
async function listAfter(
  blobs: BlobStore,
  before: TranscriptRef | undefined,
  segments: readonly Segment[],
): Promise<Omit<SegmentList, 'version'>> {
  if (before === undefined || before.messages === 0) return { segments: [...segments] };
  const earlier = await readList(blobs, before);
  const depth = (earlier.depth ?? 0) + 1;
  const isCut = lengthOf(earlier) > before.messages;
  if (depth <= maxDepth || isCut) return { before, depth, segments: [...segments] };
  const all = await Array.fromAsync(segmentsBackwards(blobs, before, 0));
  // A list that was cut on the way must stay where it is.
  const isPart = ({ segment, first, next }: PlacedSegment) => next - first < segment.messages;
  if (all.some(isPart)) return { before, depth, segments: [...segments] };
  return { segments: [...all.map(({ segment }) => segment).toReversed(), ...segments] };
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
  const end = Math.min(until, ref.messages);
  const wanted: PlacedSegment[] = [];
  for await (const placed of segmentsBackwards(blobs, ref, since)) {
    if (placed.first < end) wanted.push(placed);
  }
  const messages: TranscriptMessage[] = [];
  for (const { segment, first, next } of wanted.toReversed()) {
    const content = await readJson(blobs, segment.hash, SegmentContent);
    messages.push(
      ...content.messages.slice(Math.max(0, since - first), Math.min(end, next) - first),
    );
  }
  return messages;
}

/** A segment where it stands: from index `first` on, up to and without `next`. */
interface PlacedSegment {
  readonly segment: Segment;
  readonly first: number;
  readonly next: number;
}

/** The segments from the last back to the one that holds message `since`. */
async function* segmentsBackwards(
  blobs: BlobStore,
  ref: TranscriptRef,
  since: number,
): AsyncGenerator<PlacedSegment, void, undefined> {
  let at: TranscriptRef | undefined = ref;
  while (at !== undefined && at.messages > since) {
    const list: SegmentList = await readList(blobs, at);
    let end = lengthOf(list);
    for (const segment of list.segments.toReversed()) {
      const first = end - segment.messages;
      if (first < at.messages && end > since) {
        yield { segment, first, next: Math.min(end, at.messages) };
      }
      end = first;
    }
    const { before }: SegmentList = list;
    at = before && { ...before, messages: Math.min(before.messages, at.messages) };
  }
}

function lengthOf({ before, segments }: SegmentList): number {
  return segments.reduce((sum, { messages }) => sum + messages, before?.messages ?? 0);
}

async function readList(blobs: BlobStore, { hash }: TranscriptRef): Promise<SegmentList> {
  return await readJson(blobs, hash, SegmentList);
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
