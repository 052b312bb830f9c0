/** Standard base64 (RFC 4648 section 4) without Buffer or atob, for every runtime the protocol runs in. */
import * as z from 'zod/mini';
import { isBase64 } from './is-base64.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Base64 of the bytes of `first` followed by the bytes of `second`; both must be canonical. */
export function concatBase64(first: string, second: string): string {
  if (!first.endsWith('=')) return first + second;
  const head = first.slice(0, -4);
  return head + encodeBase64([...decodeBase64(first.slice(-4)), ...decodeBase64(second)]);
}

/** The bytes of a canonical base64 text. */
export function decodeBase64(text: string): Uint8Array {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  for (let group = 0; group * 4 < text.length; group += 1) {
    let bits = 0;
    for (let index = 0; index < 4; index += 1) {
      // Padding is not in the alphabet: -1 & 63 would set bits, so it counts as zero.
      bits = (bits << 6) | Math.max(0, alphabet.indexOf(text.charAt(group * 4 + index)));
    }
    // Writes behind the end of a typed array are ignored, which drops the padding bytes.
    bytes[group * 3] = bits >> 16;
    bytes[group * 3 + 1] = bits >> 8;
    bytes[group * 3 + 2] = bits;
  }
  return bytes;
}

/** Canonical base64 of bytes. */
export function encodeBase64(bytes: ArrayLike<number>): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += alphabet.charAt(bits >> 18) + alphabet.charAt((bits >> 12) & 63);
    text += left > 1 ? alphabet.charAt((bits >> 6) & 63) : '=';
    text += left > 2 ? alphabet.charAt(bits & 63) : '=';
  }
  return text;
}

/** Bytes as canonical base64; never empty. */
export const Base64 = z.string().check(
  z.refine((text) => text !== '', { error: 'must not be empty', abort: true }),
  z.refine(isBase64, { error: 'must be padded standard base64' }),
);
