/** Measures text as it will be written. Counted by hand: the Workflow sandbox has no Buffer. */

/** Bytes of the text in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Either half of a surrogate pair: two bytes of the pair's four.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
  }
  return bytes;
}
