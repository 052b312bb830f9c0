/** Tells a MIME type, with parameters or without, from other texts. */

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const mimeType = new RegExp(
  `^${token}/${token}(?:[ \\t]*;[ \\t]*${token}=(?:${token}|"(?:[^"\\\\]|\\\\.)*"))*$`,
);

/** Whether a text is a MIME type such as `image/png` or `text/plain; charset=utf-8`. */
export function isMimeType(text: string): boolean {
  return mimeType.test(text);
}
