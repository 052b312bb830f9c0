/** What adapters ask of a piece of media: its type, and its bytes as an address. */

/** The MIME type without its parameters, in lower case. */
export function mediaType(mime: string): string {
  return (mime.split(';')[0] ?? '').trim().toLowerCase();
}

/** Bytes (base64) as a `data:` address. */
export function dataUrl(type: string, base64: string): string {
  return `data:${type};base64,${base64}`;
}
