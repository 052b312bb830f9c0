/** Cuts text without splitting a character that takes two code units. */

/** The part of `text` from `start` to `end` in code units, each moved back where it would split a code point. */
export function sliceText(text: string, start: number, end: number): string {
  return text.slice(boundary(text, start), boundary(text, end));
}

function boundary(text: string, index: number): number {
  if (index <= 0 || index >= text.length) return index;
  const splits = isHigh(text.charCodeAt(index - 1)) && isLow(text.charCodeAt(index));
  return splits ? index - 1 : index;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
