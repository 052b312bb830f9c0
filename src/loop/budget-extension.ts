/** More for a budget, while the run goes on: what is given is added to the limits that there are. */
import { isRecord } from '../chat/is-record.ts';
import type { BudgetLimits } from './budget-limits.ts';
import { limitNames, limitsOf } from './budget-use.ts';
import type { LoopState } from './loop-state.ts';

/** The payload of the Update and of the Signal `extendBudget`: how much more of each limit. */
export type ExtendBudgetInput = BudgetLimits;

/**
 * What keeps a value from being more for a budget: all problems at once. Given the state, what the run does not limit
 * is refused, too.
 */
export function extendBudgetProblem(payload: unknown, state?: LoopState): string | undefined {
  if (!isRecord(payload)) return 'extendBudget: must be an object with what is added to the limits';
  const limits = state && limitsOf(state);
  const problems = Object.entries(payload).flatMap(([name, value]) => {
    const limit = limitNames.find((known) => known === name);
    if (limit === undefined)
      return [`${JSON.stringify(name)} is no limit; there are ${limitNames.join(', ')}`];
    if (!isMore(limit, value)) return [`${name}: ${ruleOf(limit)}`];
    return limits && limits[limit] === undefined ? [`${name}: the run has no such limit`] : [];
  });
  if (Object.keys(payload).length === 0) {
    problems.push(`must add to at least one of ${limitNames.join(', ')}`);
  }
  return problems.length === 0 ? undefined : `extendBudget: ${problems.join('; ')}`;
}

/** The state with more of each limit that is named. */
export function applyExtension(state: LoopState, more: BudgetLimits): LoopState {
  const extension: BudgetLimits = { ...state.extension };
  for (const name of limitNames) {
    const added = more[name];
    if (added !== undefined) extension[name] = (extension[name] ?? 0) + added;
  }
  return { ...state, extension };
}

/** What keeps a value from being the budget of a start, as far as the Workflow looks: the rest is the schema's. */
export function isBudgetOfStart(value: unknown): boolean {
  return (
    isRecord(value) &&
    limitNames.every((name) => value[name] === undefined || isMore(name, value[name]))
  );
}

function isMore(name: string, value: unknown): boolean {
  const isWanted = name === 'usd' ? Number.isFinite(value) : Number.isSafeInteger(value);
  return isWanted && Number(value) > 0;
}

function ruleOf(name: string): string {
  return name === 'usd' ? 'must be a number above 0' : 'must be a whole number from 1';
}
