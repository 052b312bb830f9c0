/** Why a run cannot have a budget in dollars: where nobody knows what a model costs, it would limit nothing. */
import type { AgentSpec } from './agent-spec.ts';
import type { BudgetLimits } from './budget-limits.ts';

/**
 * What is wrong, naming the models and how to give their prices; undefined when nothing is.
 * @param given the limits that the run is given, in place of the agent's own
 */
export function unpricedProblem(
  { name, models, budget, prices }: AgentSpec,
  given: BudgetLimits = {},
): string | undefined {
  if ((given.usd ?? budget?.usd) === undefined) return undefined;
  const unpriced = models.filter((_, index) => !prices?.[index]);
  const [first] = unpriced;
  if (first === undefined) return undefined;
  const example = `prices: { ${JSON.stringify(first)}: { input: 1, output: 4 } }`;
  return `Agent ${name} cannot be run with a budget in US dollars: no price is known of ${unpriced.join(', ')}. Give it in defineConfig, in dollars per million tokens (${example}), or limit tokens instead.`;
}
