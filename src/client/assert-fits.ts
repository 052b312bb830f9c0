/** Checks another input for a call before it is decided with: a decision is final, and a slip would use it up. */
import { z } from 'zod';
import type { JsonObject } from '../chat/json.ts';
import { EverloopError } from '../everloop-error.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { problemsOf } from '../loop/problems-of.ts';
import { toolSpecOf } from '../loop/tool-spec-of.ts';

/**
 * Refuses an input that does not fit the JSON Schema of the call's tool. What only the tool's own code can tell, the
 * run tells the model.
 * @throws EverloopError `invalid_input`
 */
export function assertFits(state: LoopState, callId: string, input: JsonObject): void {
  const pending = state.pendingToolCalls.find(({ call }) => call.id === callId);
  const tool = pending && state.agent && toolSpecOf(state.agent, pending.call.name);
  const schema = tool && schemaOf(tool.definition.inputSchema);
  const parsed = schema?.safeParse(input);
  if (parsed === undefined || parsed.success) return;
  throw new EverloopError(
    'invalid_input',
    `the input does not fit ${tool?.definition.name}: ${problemsOf(parsed.error)}`,
    { hint: 'the call still waits: decide again with an input that fits' },
  );
}

/** Undefined for a schema that cannot be expressed: it is checked where the tool is run. */
function schemaOf(schema: JsonObject): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(schema);
  } catch {
    return undefined;
  }
}
