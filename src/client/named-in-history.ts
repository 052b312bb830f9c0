/** Finds in what a server keeps of Workflows and Schedules which blobs it names. */
import type { temporal } from '@temporalio/proto';
import { EverloopError } from '../everloop-error.ts';
import { hashesIn } from '../storage/named-blobs.ts';

type Payload = temporal.api.common.v1.IPayload;

/** Decodes payloads with the connection's own converter and codec. */
export type DecodePayloads = (payloads: Payload[]) => Promise<readonly unknown[]>;

/** What is kept as it was written: a hash in it can be seen without decoding. */
const plainEncodings = new Set([
  'binary/null',
  'binary/plain',
  'json/plain',
  'json/protobuf',
  'binary/protobuf',
]);
/** Message type of a payload that only says where another one is kept. */
const reference = 'temporal.api.sdk.v1.ExternalStorageReference';

/**
 * The known blobs that an answer of the server names: in its payloads, or in any text beside them.
 * @param where whose answer it is, for the error
 * @throws EverloopError `configuration` when a payload cannot be read, so that nobody knows what it names
 */
export async function* namedIn(
  answer: unknown,
  known: ReadonlySet<string>,
  decode: DecodePayloads,
  where: string,
): AsyncGenerator<string, void, undefined> {
  for (const found of contentsOf(answer)) {
    if (typeof found === 'string') {
      yield* hashesIn(found, known);
      continue;
    }
    yield* hashesIn(textOf(found.data ?? new Uint8Array()), known);
    if (isPlain(found)) continue;
    for (const value of await decoded(found, decode, where)) {
      const text = value instanceof Uint8Array ? textOf(value) : (JSON.stringify(value) ?? '');
      yield* hashesIn(text, known);
    }
  }
}

/** All texts and payloads of a protobuf message, however deep. */
function* contentsOf(value: unknown): Generator<string | Payload, void, undefined> {
  if (typeof value === 'string') {
    yield value;
  } else if (isPayload(value)) {
    yield value;
  } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    for (const member of Object.values(value)) yield* contentsOf(member);
  }
}

/** Nothing else in Temporal's messages has metadata beside data. */
function isPayload(value: unknown): value is Payload {
  return (
    typeof value === 'object' &&
    value !== null &&
    'metadata' in value &&
    'data' in value &&
    (value.data === null || value.data === undefined || value.data instanceof Uint8Array)
  );
}

function isPlain({ metadata }: Payload): boolean {
  const encoding = textOf(metadata?.['encoding'] ?? new Uint8Array());
  const messageType = textOf(metadata?.['messageType'] ?? new Uint8Array());
  return (encoding === '' || plainEncodings.has(encoding)) && messageType !== reference;
}

async function decoded(
  payload: Payload,
  decode: DecodePayloads,
  where: string,
): Promise<readonly unknown[]> {
  try {
    return await decode([payload]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new EverloopError('configuration', `a payload of ${where} cannot be read: ${why}`, {
      hint: 'what it names is not known, so nothing may be removed: connect with the codec that wrote it',
      cause: error,
    });
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
