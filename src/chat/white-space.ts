/** White space as the protocol counts it: Unicode White_Space, so U+0085 is and U+FEFF is not. */

// JavaScript's trim() trims U+FEFF and keeps U+0085: verdicts would differ from other implementations.
const space = '\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const surrounding = new RegExp(`^[${space}]|[${space}]$`, 'u');
const blank = new RegExp(`^[${space}]*$`, 'u');

/** Whether a text begins or ends with white space. */
export function hasSurroundingSpace(text: string): boolean {
  return surrounding.test(text);
}

/** Whether a text is empty or only white space. */
export function isBlank(text: string): boolean {
  return blank.test(text);
}
