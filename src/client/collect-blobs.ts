/** Garbage collection of a blob store: finds what nothing names any more, and removes it. */
import type { Client } from '@temporalio/client';
import type { BlobEntry, BlobStore, SweptDrafts } from '../storage/blob-store.ts';
import { withNamedBlobs } from '../storage/named-blobs.ts';
import { namedByServer } from './live-blobs.ts';

/** A number of blobs, and their size. */
export interface BlobCount {
  readonly count: number;
  readonly bytes: number;
}

/** What a blob store holds, and what of it could go. */
export interface Garbage {
  /** Everything that was there. */
  readonly all: BlobCount;
  /** What the server names, and what that names in turn. */
  readonly live: BlobCount;
  /** What is named by nothing and too young to go: somebody may be about to name it. */
  readonly young: BlobCount;
  /** What could go. */
  readonly garbage: BlobCount;
  readonly hashes: readonly string[];
  /** What broken-off writes have left. */
  readonly drafts: BlobCount;
  /** Histories that were read. */
  readonly histories: number;
  /** What was put before this time can go, milliseconds since the epoch. */
  readonly putBefore: number;
}

/** What is garbage, and who hears how far the search is. */
export interface FindGarbageOptions {
  /** Blobs that are younger stay, named or not. */
  readonly minAgeMs: number;
  readonly now?: number;
  /** How long the server may take to list what was started; 2 s when absent. */
  readonly lagMs?: number;
  readonly told?: (histories: number) => void;
}

/**
 * Looks for what could go. Nothing is changed. Whatever cannot be asked or read makes it fail: what is not known to be
 * garbage is none.
 *
 * Contract: the clients are of all namespaces whose runs use the store.
 * @throws EverloopError `engine_unreachable`; `configuration` when a payload cannot be decoded; `blob_store_failed`
 */
export async function findGarbage(
  clients: readonly Client[],
  blobs: BlobStore,
  { minAgeMs, now = Date.now(), told = () => {}, lagMs }: FindGarbageOptions,
): Promise<Garbage> {
  const putBefore = now - minAgeMs;
  // Listed before anything is asked: what comes later is younger than what it might be garbage of.
  const entries = await Array.fromAsync(blobs.list());
  const known = new Set(entries.map(({ hash }) => hash));
  const named = new Set<string>();
  let histories = 0;
  for (const client of clients) {
    const before = histories;
    const found = await namedByServer(client, known, {
      told: (count) => told(before + count),
      ...(lagMs !== undefined && { lagMs }),
    });
    for (const hash of found.hashes) named.add(hash);
    histories += found.histories;
  }
  const isYoung = ({ storedAt }: BlobEntry) => storedAt >= putBefore;
  // What a run writes now, it will name; and that may name what is old.
  const live = await withNamedBlobs(blobs, named, known);
  const others = entries.filter(({ hash }) => !live.has(hash));
  const writtenNow = await withNamedBlobs(
    blobs,
    others.filter(isYoung).map(({ hash }) => hash),
    new Set(others.map(({ hash }) => hash)),
  );
  const kept = new Set([...live, ...writtenNow]);
  const garbage = entries.filter(({ hash }) => !kept.has(hash));
  return {
    all: countOf(entries),
    live: countOf(entries.filter(({ hash }) => live.has(hash))),
    young: countOf(entries.filter(({ hash }) => writtenNow.has(hash))),
    garbage: countOf(garbage),
    hashes: garbage.map(({ hash }) => hash),
    drafts: (await blobs.sweepDrafts?.({ before: putBefore, remove: false })) ?? nothing,
    histories,
    putBefore,
  };
}

/**
 * Removes what was found, but for what was put again since: somebody is about to name it.
 * @returns what is gone
 * @throws EverloopError `blob_store_failed`; what was removed before that stays removed
 */
export async function removeGarbage(
  blobs: BlobStore,
  { hashes, putBefore }: Garbage,
): Promise<{ readonly removed: number; readonly drafts: SweptDrafts }> {
  let removed = 0;
  for (const hash of hashes) {
    if (await blobs.delete(hash, { putBefore })) removed += 1;
  }
  const drafts = await blobs.sweepDrafts?.({ before: putBefore, remove: true });
  return { removed, drafts: drafts ?? nothing };
}

const nothing: BlobCount = { count: 0, bytes: 0 };

function countOf(entries: readonly BlobEntry[]): BlobCount {
  return {
    count: entries.length,
    bytes: entries.reduce((sum, { size }) => sum + size, 0),
  };
}
