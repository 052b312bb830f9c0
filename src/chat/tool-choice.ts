/** Whether and which tools a model may or must call. */
import * as z from 'zod/mini';
import { concept } from './concept.ts';
import { ToolName } from './tool-definition.ts';

const parallelism = z.optional(z.enum(['allow', 'single']));

/** `named` asks for one tool; `none` forbids calls, so it says nothing about parallel ones. */
export const ToolChoice = concept(
  'invalid_tool_choice',
  z.discriminatedUnion('mode', [
    z.strictObject({ mode: z.literal('auto'), parallelism }),
    z.strictObject({ mode: z.literal('none') }),
    z.strictObject({ mode: z.literal('required'), parallelism }),
    z.strictObject({ mode: z.literal('named'), name: ToolName, parallelism }),
  ]),
);
export type ToolChoice = z.infer<typeof ToolChoice>;
