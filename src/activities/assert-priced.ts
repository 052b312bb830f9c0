/** Refuses a budget in dollars where nobody knows what a model costs. */
import { ApplicationFailure } from '@temporalio/common';
import type { AgentSpec } from '../loop/agent-spec.ts';
import type { BudgetLimits } from '../loop/budget-limits.ts';
import { failureType } from '../loop/failure-types.ts';
import { unpricedProblem } from '../loop/unpriced-problem.ts';

/**
 * @param given the limits that the run was started with, in place of the agent's own
 * @throws ApplicationFailure `everloop.configuration`, naming the models and how to give their prices
 */
export function assertPriced(spec: AgentSpec, given?: BudgetLimits): void {
  const message = unpricedProblem(spec, given);
  if (message === undefined) return;
  throw ApplicationFailure.create({
    type: failureType.configuration,
    message,
    nonRetryable: true,
  });
}
