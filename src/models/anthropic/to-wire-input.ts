/** Writes the arguments of a call as the input of a `tool_use` block. */
import type { ReportEntry } from '../../chat/report.ts';
import { isBlank } from '../../chat/white-space.ts';
import { JsonSource } from './json-source.ts';

/** An input: the model's exact words, or an object that stands for them. */
export type WireInput = JsonSource | { readonly _raw?: string };

/**
 * The arguments as they came where they are a JSON object, since the API takes nothing else: blank ones
 * are `{}`, and all others stand as text inside an object, so that a call with bad arguments, which has
 * its error result already, does not keep every later request from being sent.
 */
export function toWireInput(
  text: string | undefined,
  path: string,
  report: ReportEntry[],
): WireInput {
  if (text === undefined || isBlank(text)) return {};
  if (isSendableObject(text)) return new JsonSource(text);
  report.push({
    severity: 'defaulted',
    path,
    reason: 'the arguments are no JSON object; their text is sent as the member _raw',
  });
  return { _raw: text };
}

/** Whether a text is a JSON object that any server can read: no half code points, no infinite numbers. */
function isSendableObject(text: string): boolean {
  let isSendable = true;
  try {
    const value: unknown = JSON.parse(text, (name, member: unknown) => {
      isSendable &&= name.isWellFormed();
      if (typeof member === 'string') isSendable &&= member.isWellFormed();
      if (typeof member === 'number') isSendable &&= Number.isFinite(member);
      return member;
    });
    return isSendable && typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
