/** Refuses a budget in dollars where nobody knows what a model costs: it would limit nothing. */
import { ApplicationFailure } from '@temporalio/common';
import type { AgentSpec } from '../loop/agent-spec.ts';
import type { BudgetLimits } from '../loop/budget-limits.ts';
import { failureType } from '../loop/failure-types.ts';

/**
 * @param given the limits that the run was started with, in place of the agent's own
 * @throws ApplicationFailure `everloop.configuration`, naming the models and how to give their prices
 */
export function assertPriced(
  { name, models, budget, prices }: AgentSpec,
  given: BudgetLimits = {},
): void {
  if ((given.usd ?? budget?.usd) === undefined) return;
  const unpriced = models.filter((_, index) => !prices?.[index]);
  const [first] = unpriced;
  if (first === undefined) return;
  const example = `prices: { ${JSON.stringify(first)}: { input: 1, output: 4 } }`;
  throw ApplicationFailure.create({
    type: failureType.configuration,
    message: `Agent ${name} cannot be run with a budget in US dollars: no price is known of ${unpriced.join(', ')}. Give it in defineConfig, in dollars per million tokens (${example}), or limit tokens instead.`,
    nonRetryable: true,
  });
}
