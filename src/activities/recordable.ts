/** What history can take: the server refuses a larger payload, and the SDK would try the same one for ever. */

/** Bytes of JSON of one Activity result. The server's limit is 2 MiB for the whole payload; the rest is for what surrounds a message. */
const maxRecordableBytes = 1_800_000;

/** Whether the value can be an Activity's result. */
export function isRecordable(value: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(value)) <= maxRecordableBytes;
}
