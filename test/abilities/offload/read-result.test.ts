import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readResult } from '../../../src/abilities/offload/read-result.ts';
import { pageOf } from '../../../src/abilities/offload/text-page.ts';
import { withReadResult } from '../../../src/abilities/offload/with-read-result.ts';
import { EverloopError } from '../../../src/everloop-error.ts';
import { createMemoryBlobStore } from '../../../src/storage/memory-blob-store.ts';
import { RetryableError } from '../../../src/tools/define-tool.ts';
import { toolContext } from '../../tools/tool-context.ts';

const blobs = createMemoryBlobStore();

async function read(
  result: string,
  more: { offset?: number; limit?: number } = {},
): Promise<string> {
  const context = toolContext(undefined, { blobs });
  return String(await readResult.run({ result, ...more }, context));
}

function keep(text: string | Uint8Array): Promise<string> {
  return blobs.put(Buffer.from(text));
}

describe('a page of a text', () => {
  it('together with those that follow is the whole text, in whole characters, whatever the text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom('\n', '\r\n', 'x'.repeat(2_500), '𝄞'.repeat(1_500), 'ü'.repeat(35_000)),
    );
    const texts = fc.array(piece, { minLength: 1, maxLength: 12 }).map((all) => all.join(''));
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), (whole, limit) => {
        let text = '';
        for (let first = 1; ; ) {
          const page = pageOf(whole, first, limit);
          if (page.last < first) break;
          expect(page.text.length).toBeLessThanOrEqual(30_000);
          expect(page.last - first).toBeLessThan(limit);
          if (whole.isWellFormed()) expect(page.text.isWellFormed()).toBe(true);
          text += page.text;
          first = page.last + 1;
        }
        expect(text).toBe(whole);
      }),
    );
  });
});

describe('read_result', () => {
  it('shows the first lines and says how to read on', async () => {
    const hash = await keep(Array.from({ length: 9 }, (_, n) => `line ${n + 1}\n`).join(''));
    expect(await read(hash, { limit: 2 })).toBe(
      'line 1\nline 2\n[lines 1 to 2 of 9; read on with offset 3]',
    );
    expect(await read(hash, { offset: 8 })).toBe('line 8\nline 9\n[lines 8 to 9 of 9]');
  });

  it('shows one huge line in several pages', async () => {
    const hash = await keep(`{"a":"${'ü'.repeat(100_000)}"}`);
    const first = await read(hash);
    expect(first).toMatch(/^\{"a":"ü+\n\[lines 1 to 15 of 51; read on with offset 16\]$/);
    expect(await read(hash, { offset: 51 })).toMatch(/^ü+"\}\n\[lines 51 to 51 of 51\]$/);
    expect(Buffer.byteLength(first)).toBeLessThan(readResult.maxResultBytes);
  });

  it('forgives blanks and capitals around the hash', async () => {
    const hash = await keep('found');
    expect(await read(` ${hash.toUpperCase()}\n`)).toBe('found\n[lines 1 to 1 of 1]');
  });

  it.each(['', 'abc', '../../etc/passwd', 'f'.repeat(64)])(
    'says what to do about a wrong hash: %j',
    async (hash) => {
      await expect(read(hash)).rejects.toThrow(/nothing is kept under this hash\. Copy it from/);
    },
  );

  it('says so when an offset is past the end, and when bytes are no text', async () => {
    const hash = await keep('a\nb');
    await expect(read(hash, { offset: 3 })).rejects.toThrow(
      'offset 3 is past the end: it has 2 lines',
    );
    const image = await keep(new Uint8Array([0x89, 0x50, 0xff]));
    await expect(read(image)).rejects.toThrow('this is no text');
  });

  it('asks to be tried again when the store fails', async () => {
    const failing = {
      ...blobs,
      get: () => Promise.reject(new EverloopError('blob_store_failed', 'the disk is away')),
    };
    const context = toolContext(undefined, { blobs: failing });
    await expect(readResult.run({ result: 'x' }, context)).rejects.toThrow(RetryableError);
  });
});

describe('the tools of an agent', () => {
  it('have read_result beside them when there are any', () => {
    const own = { ...readResult, name: 'own' };
    expect(withReadResult([])).toEqual({ tools: [] });
    expect(withReadResult([], [own])).toEqual({ tools: [readResult], reader: 'read_result' });
    expect(withReadResult([own])).toEqual({ tools: [own, readResult], reader: 'read_result' });
    expect(() => withReadResult([readResult])).toThrow(/read_result is the name of a built-in/);
  });
});
