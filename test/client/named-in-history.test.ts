/** Which blobs an answer of the server names, whatever its payloads are written in. */
import { describe, expect, it } from 'vitest';
import type { DecodePayloads } from '../../src/client/named-in-history.ts';
import { namedIn } from '../../src/client/named-in-history.ts';
import { blobHash } from '../../src/storage/blob-store.ts';

const known = blobHash(Buffer.from('a blob'));
const text = JSON.stringify({ source: { kind: 'blob', hash: known } });

function payload(encoding: string, data: string, more: Readonly<Record<string, string>> = {}) {
  const metadata = Object.entries({ encoding, ...more }).map(
    ([key, value]) => [key, Buffer.from(value)] as const,
  );
  return { metadata: Object.fromEntries(metadata), data: Buffer.from(data) };
}

/** A codec that is no secret. */
const backwards = (value: string) => [...value].toReversed().join('');
const decode: DecodePayloads = async (payloads) =>
  payloads.map(({ data }) => JSON.parse(backwards(Buffer.from(data ?? []).toString())));
const failing: DecodePayloads = () => Promise.reject(new Error('no key'));

async function named(answer: unknown, decoding = failing): Promise<ReadonlySet<string>> {
  return new Set(await Array.fromAsync(namedIn(answer, new Set([known]), decoding, 'Workflow w')));
}

describe('a blob is found', () => {
  it.each(['json/plain', 'binary/plain', 'json/protobuf', 'binary/protobuf'])(
    'in a payload of %s, without decoding it',
    async (encoding) => {
      const event = { someAttributes: { input: { payloads: [payload(encoding, text)] } } };
      expect(await named(event)).toEqual(new Set([known]));
    },
  );

  it('in a map of payloads, in a header, and in plain text', async () => {
    const memo = { fields: { everloop: payload('json/plain', text) } };
    expect(await named({ memo })).toEqual(new Set([known]));
    expect(await named({ failure: { cause: { message: `no blob ${known}` } } })).toEqual(
      new Set([known]),
    );
  });

  it('in a payload that only the codec can read', async () => {
    const answer = { data: [payload('binary/backwards', backwards(text))] };
    expect(await named(answer, decode)).toEqual(new Set([known]));
  });

  it('as the place of a payload that is kept elsewhere, and in that payload', async () => {
    const messageType = 'temporal.api.sdk.v1.ExternalStorageReference';
    const reference = payload('json/protobuf', `{"claimData":{"hash":"${known}"}}`, {
      messageType,
    });
    expect(await named(reference, async () => [])).toEqual(new Set([known]));
    const elsewhere = payload('json/protobuf', '{}', { messageType });
    expect(await named(elsewhere, async () => [JSON.parse(text)])).toEqual(new Set([known]));
    await expect(named(reference)).rejects.toMatchObject({ code: 'configuration' });
  });
});

describe('what cannot be read', () => {
  it('is an error that says where', async () => {
    await expect(named([payload('binary/encrypted', '???')])).rejects.toMatchObject({
      code: 'configuration',
      message: 'a payload of Workflow w cannot be read: no key',
      hint: expect.stringContaining('codec'),
    });
  });

  it('is not a payload without data', async () => {
    const nothing = { metadata: { encoding: Buffer.from('binary/null') }, data: null };
    expect(await named([nothing, null, undefined, 7, { metadata: {}, data: null }])).toEqual(
      new Set(),
    );
  });
});
