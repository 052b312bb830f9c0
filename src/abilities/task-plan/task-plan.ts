/** The tool `task_plan`: the model submits a plan, and a person says whether to carry it out. */
import type { Duration } from '@temporalio/common';
import { z } from 'zod';
import type { Tool } from '../../tools/define-tool.ts';
import { defineExternalTool } from '../../tools/define-tool.ts';

/** What is answered to a plan. `revise`: another plan is wanted; `text` says what should change. */
export interface PlanVerdict {
  readonly verdict: 'execute' | 'reject' | 'revise';
  readonly text?: string;
}

const input = z.object({
  goal: z.string().min(1).describe('What the plan is to reach.'),
  steps: z
    .array(z.string().min(1))
    .min(1)
    .max(50)
    .describe('The steps, in order, each of them something that can be checked.'),
});

/**
 * Defines `task_plan`. Each submission waits for a PlanVerdict of its own, answered like any external tool.
 */
export function taskPlan({ timeout }: { readonly timeout?: Duration } = {}): Tool {
  return defineExternalTool({
    name: 'task_plan',
    description:
      'Submits your plan and waits for the verdict: {"verdict": "execute" | "reject" | "revise", "text"?}. Carry the plan out only after "execute"; after "revise" submit a better one; after "reject" do not go on with it.',
    input,
    ...(timeout !== undefined && { timeout }),
  });
}
