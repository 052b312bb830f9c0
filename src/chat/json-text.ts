/** Reads JSON text strictly (RFC 7493): what `JSON.parse` would hide or round is a problem here. */
import type { JsonValue } from './json.ts';

/** The value of a JSON text, or the reason why it is none. */
export type JsonTextResult = { ok: true; value: JsonValue } | { ok: false; problem: string };

/** Deepest nesting accepted, so that no recursive reader of the value overflows its stack. */
export const maxJsonDepth = 1000;

/**
 * Parses exactly one JSON value.
 *
 * Refused beyond the grammar: duplicate member names at any depth, lone surrogates (raw or escaped),
 * integers that a JavaScript number would round, numbers out of range, nesting over
 * {@link maxJsonDepth}.
 */
export function readJson(text: string): JsonTextResult {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: 'is not valid JSON' };
  }
  const problem = scan(text);
  return problem === undefined ? { ok: true, value } : { ok: false, problem };
}

/** Whether a number would be written as an integer that JavaScript cannot hold exactly. */
export function isRoundedInteger(value: number): boolean {
  // From 1e21 on, JavaScript writes an exponent: such a number is a float by notation.
  return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;
}

/** Walks a text already known to be grammatical; only what JSON.parse does not see is looked at. */
function scan(text: string): string | undefined {
  const names: (Set<string> | undefined)[] = [];
  let expectsName = false;
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = stringEnd(text, at);
      const problem = scanString(text.slice(at, end), expectsName ? names.at(-1) : undefined);
      if (problem !== undefined) return problem;
      expectsName = false;
      at = end;
      continue;
    }
    if (character === '-' || (character >= '0' && character <= '9')) {
      const end = numberEnd(text, at);
      const problem = numberProblem(text.slice(at, end));
      if (problem !== undefined) return problem;
      at = end;
      continue;
    }
    if (character === '{' || character === '[') {
      if (names.length === maxJsonDepth) return `is nested deeper than ${maxJsonDepth} levels`;
      names.push(character === '{' ? new Set() : undefined);
      expectsName = character === '{';
    } else if (character === '}' || character === ']') {
      names.pop();
      expectsName = false;
    } else if (character === ',') {
      expectsName = names.at(-1) !== undefined;
    }
    at += 1;
  }
  return undefined;
}

function scanString(literal: string, siblings: Set<string> | undefined): string | undefined {
  const value: string = literal.includes('\\') ? JSON.parse(literal) : literal.slice(1, -1);
  if (!value.isWellFormed()) return 'contains a lone surrogate';
  if (siblings === undefined) return undefined;
  if (siblings.has(value)) return `has the member ${JSON.stringify(value)} twice`;
  siblings.add(value);
  return undefined;
}

function numberProblem(literal: string): string | undefined {
  const value = Number(literal);
  if (!Number.isFinite(value)) return `has a number out of range: ${literal.slice(0, 40)}`;
  const isInteger = !/[.eE]/.test(literal);
  if ((isInteger && !Number.isSafeInteger(value)) || isRoundedInteger(value)) {
    return `has an integer that cannot be held exactly: ${literal.slice(0, 40)}`;
  }
  return undefined;
}

function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charAt(quote - 1 - backslashes) === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

function numberEnd(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && '0123456789.eE+-'.includes(text.charAt(end))) end += 1;
  return end;
}
