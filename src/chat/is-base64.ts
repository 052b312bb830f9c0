/** Tells canonical base64 (RFC 4648 section 4) from other texts. */

const foreign = /[^A-Za-z0-9+/]/;
// The last group may be padded; its unused bits must be zero, so that bytes have one spelling only.
const lastGroup =
  /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)$/;

/** Whether a text is canonical base64: standard alphabet, padded, unused bits zero. */
export function isBase64(text: string): boolean {
  if (text === '') return true;
  return (
    text.length % 4 === 0 && lastGroup.test(text.slice(-4)) && !foreign.test(text.slice(0, -4))
  );
}
