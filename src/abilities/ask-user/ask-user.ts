/** The tool `ask_user`: asks the person that the run works for, and waits for the answer. */
import type { Duration } from '@temporalio/common';
import { z } from 'zod';
import type { Tool } from '../../tools/define-tool.ts';
import { defineExternalTool } from '../../tools/define-tool.ts';

const input = z.object({
  question: z.string().min(1).describe('What you need to know, in one or two sentences.'),
  choices: z
    .array(z.string().min(1))
    .max(20)
    .optional()
    .describe(
      'Answers to choose from, when there are few; any other text may be answered as well.',
    ),
});

/**
 * Defines `ask_user`. The run stands still until somebody answers; an empty answer, or none in time, is `(no answer)`.
 */
export function askUser({ timeout }: { readonly timeout?: Duration } = {}): Tool {
  return defineExternalTool({
    name: 'ask_user',
    description:
      'Asks the user a question and waits for the answer. Only for what you cannot find out yourself and need to go on.',
    input,
    ...(timeout !== undefined && { timeout }),
  });
}
