/** Tests lines against a pattern that a model wrote, in linear time and with a bound on each line. */
import { RE2JS } from 're2js';
import { sliceText } from './cut-text.ts';

/** Instructions of a compiled pattern: with more, one long line takes seconds (measured at 4,000). */
const maxProgram = 2_000;
const maxPatternCharacters = 1_000;
/** Longer lines are data or generated code; what lies beyond is not searched. */
export const searchedCharacters = 20_000;
/** Of a matching line; the place of the match is shown when it lies further right. */
const shownCharacters = 300;

/** What to show of a line that matches, or undefined. */
export type LineTest = (line: string) => string | undefined;

/**
 * Compiles the pattern.
 * @throws Error saying what is wrong with it
 */
export function createLineTest(pattern: string, ignoreCase: boolean): LineTest {
  const compiled = compile(pattern, ignoreCase);
  return (line) => {
    const searched = sliceText(line, 0, searchedCharacters);
    return compiled.test(searched) ? excerpt(line, searched, compiled) : undefined;
  };
}

function compile(pattern: string, ignoreCase: boolean): RE2JS {
  if (pattern.length > maxPatternCharacters) {
    throw new Error(`pattern: longer than ${maxPatternCharacters} characters; use a shorter one`);
  }
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'invalid';
    throw new Error(`pattern: ${reason}. It is read as RE2: no lookaround, no backreferences`);
  }
  if (compiled.programSize() > maxProgram) {
    throw new Error('pattern: its repetitions multiply to too much; use smaller counts');
  }
  return compiled;
}

/** The line, or the first stretch of it that matches by itself, or its beginning. */
function excerpt(line: string, searched: string, compiled: RE2JS): string {
  if (line.length <= shownCharacters) return line;
  for (let start = 0; start < searched.length; start += shownCharacters / 2) {
    const part = sliceText(line, start, start + shownCharacters);
    if (compiled.test(part)) return marked(line, part, start);
  }
  return marked(line, sliceText(line, 0, shownCharacters), 0);
}

function marked(line: string, part: string, start: number): string {
  return `${start > 0 ? '…' : ''}${part}${start + part.length < line.length ? '…' : ''}`;
}
