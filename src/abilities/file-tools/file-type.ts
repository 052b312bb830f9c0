/** Tells text from the files that a model cannot read as text. */

/** How many bytes are looked at for a NUL, as git does. */
export const sniffedBytes = 8_000;

/** First bytes, from offset 0 unless said otherwise, in Latin-1. */
const signatures: readonly { type: string; starts: string; at?: number }[] = [
  { type: 'image/png', starts: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', starts: '\xff\xd8\xff' },
  { type: 'image/gif', starts: 'GIF8' },
  { type: 'image/webp', starts: 'WEBP', at: 8 },
  { type: 'application/pdf', starts: '%PDF-' },
  { type: 'application/zip', starts: 'PK\x03\x04' },
  { type: 'application/gzip', starts: '\x1f\x8b' },
  { type: 'application/zstd', starts: '\x28\xb5\x2f\xfd' },
  { type: 'application/vnd.sqlite3', starts: 'SQLite format 3\0' },
  { type: 'application/wasm', starts: '\0asm' },
  { type: 'application/x-executable', starts: '\x7fELF' },
  { type: 'text in UTF-16', starts: '\xff\xfe' },
  { type: 'text in UTF-16', starts: '\xfe\xff' },
];

/** What kind of file begins with these bytes, or undefined when it may be read as text. */
export function binaryType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, sniffedBytes));
  const known = signatures.find(({ starts, at = 0 }) => {
    return head.subarray(at, at + starts.length).equals(Buffer.from(starts, 'latin1'));
  });
  if (known !== undefined) return known.type;
  return head.includes(0) ? 'application/octet-stream' : undefined;
}
