/** Copies a value as JSON data, or says which part of it is not JSON. */
import type { JsonValue } from './json.ts';
import { isRoundedInteger, maxJsonDepth } from './json-text.ts';

/** A copy, or the first place that is not JSON data. */
export type JsonCopy =
  | { ok: true; value: JsonValue }
  | { ok: false; path: (string | number)[]; problem: string };

class NotJson extends Error {
  readonly path: (string | number)[] = [];
}

/**
 * Deep copy of JSON data.
 *
 * Members that are `undefined` are left out, -0 becomes 0, member order is kept; everything that JSON
 * text could not carry exactly (functions, class instances, lone surrogates, non-finite numbers,
 * integers beyond the safe range, cycles) is refused.
 */
export function copyJson(value: unknown): JsonCopy {
  try {
    return { ok: true, value: copy(value, 0) };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return { ok: false, path: error.path, problem: error.message };
  }
}

function copy(value: unknown, depth: number): JsonValue {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return wellFormed(value);
  if (typeof value === 'number') return exact(value);
  if (depth === maxJsonDepth) throw new NotJson(`is nested deeper than ${maxJsonDepth} levels`);
  // Array.from also visits holes, which JSON text would turn into null.
  if (Array.isArray(value))
    return Array.from(value, (item, index) => at(index, () => copy(item, depth + 1)));
  if (isPlainObject(value)) {
    const members: [string, JsonValue][] = [];
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      members.push([wellFormed(name), at(name, () => copy(member, depth + 1))]);
    }
    // fromEntries defines own members, so a member named __proto__ stays plain data.
    return Object.fromEntries(members);
  }
  throw new NotJson(value === undefined ? 'is required' : 'is not JSON data');
}

function wellFormed(text: string): string {
  if (!text.isWellFormed()) throw new NotJson('contains a lone surrogate');
  return text;
}

function exact(value: number): number {
  if (!Number.isFinite(value)) throw new NotJson('must be a finite number');
  if (isRoundedInteger(value)) throw new NotJson('is an integer that cannot be held exactly');
  return value === 0 ? 0 : value;
}

function at<T>(segment: string | number, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof NotJson) error.path.unshift(segment);
    throw error;
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null) return true;
  // Data may come from another realm (the Workflow sandbox), where Object.prototype is another object.
  return typeof prototype === 'object' && Object.getPrototypeOf(prototype) === null;
}
