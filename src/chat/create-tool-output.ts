/** Builds the output of a tool. */
import { textPart } from './create-part.ts';
import type { JsonValue } from './json.ts';
import type { ToolOutput } from './tool-output.ts';

/** Text for the model; the empty text is the empty output. */
export function textOutput(text: string): ToolOutput {
  return text === '' ? {} : { content: [textPart(text)] };
}

/** A JSON value; the model sees its text. */
export function jsonOutput(value: JsonValue): ToolOutput {
  return { details: value };
}
