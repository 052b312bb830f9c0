import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TranscriptMessage } from '../../src/chat/transcript-message.ts';
import type { TranscriptRef } from '../../src/loop/transcript-ref.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import { readTranscript, writeTranscript } from '../../src/storage/transcript-store.ts';

const message = (n: number, text = `message ${n}`): TranscriptMessage => ({
  role: 'user',
  parts: [{ kind: 'text', text }],
  id: `m${n}`,
  createdAt: '2026-01-01T00:00:00Z',
});
const messages = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => message(first + index));

describe('a transcript in the blob store', () => {
  it('is read whole and in parts, however often it was added to and cut', async () => {
    const steps = fc.array(
      fc.record({
        more: fc.integer({ min: 0, max: 230 }),
        keep: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(500), fc.nat(500), async (all, since, length) => {
        const blobs = createMemoryBlobStore();
        let ref: TranscriptRef | undefined;
        let expected: readonly TranscriptMessage[] = [];
        let next = 0;
        for (const { more, keep } of all) {
          const fresh = messages(more, next);
          next += more;
          ref = await writeTranscript(blobs, ref, fresh, keep);
          expected = [...expected.slice(0, keep), ...fresh];
          expect(ref.messages).toBe(expected.length);
        }
        if (ref === undefined) throw new Error('nothing was written');
        expect(await readTranscript(blobs, ref)).toEqual(expected);
        const part = await readTranscript(blobs, ref, since, since + length);
        expect(part).toEqual(expected.slice(since, since + length));
      }),
      { numRuns: 200 },
    );
  });

  it('shares its segments with those that go on from a part of it, and stores none twice', async () => {
    const blobs = createMemoryBlobStore();
    const size = async () => (await Array.fromAsync(blobs.list())).length;
    const whole = await writeTranscript(blobs, undefined, messages(250));
    const before = await size();
    for (let n = 0; n < 100; n += 1) await writeTranscript(blobs, whole, [], 130);
    expect(await size()).toBe(before);
    const cut = await writeTranscript(blobs, whole, [message(1_000)], 130);
    // A segment, and a list.
    expect(await size()).toBe(before + 2);
    expect((await readTranscript(blobs, cut)).map(({ id }) => id)).toEqual([
      ...messages(130).map(({ id }) => id),
      'm1000',
    ]);
  });

  it('takes the same place to add to, however long it is, and is read through all its lists', async () => {
    const blobs = createMemoryBlobStore();
    const bytes = async () =>
      (await Array.fromAsync(blobs.list())).reduce((sum, { size }) => sum + size, 0);
    let ref: TranscriptRef | undefined;
    const growth: number[] = [];
    for (let n = 0; n < 120; n += 1) {
      const before = await bytes();
      ref = await writeTranscript(blobs, ref, messages(10, n * 10 + 1_000));
      growth.push((await bytes()) - before);
    }
    const typical = growth.toSorted((a, b) => a - b)[60] ?? 0;
    // A list of all segments is written now and then.
    expect(growth.filter((size) => size > typical * 1.1)).toHaveLength(2);
    if (ref === undefined) throw new Error('nothing was written');
    expect(await readTranscript(blobs, ref)).toEqual(messages(1_200, 1_000));
    expect(await readTranscript(blobs, ref, 595, 605)).toEqual(messages(10, 1_595));
  });
});
