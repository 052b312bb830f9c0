/** The budget of an agent as its author writes it, and as its runs record it. */

import type { Duration } from '@temporalio/common';
import { isRecord } from '../chat/is-record.ts';
import type { BudgetLimits, OnLimit } from '../loop/budget-limits.ts';
import { toMilliseconds } from '../tools/duration.ts';

/** Limits of a run and of its children. Each is checked before the step that would cross it. */
export interface AgentBudget extends Omit<BudgetLimits, 'wallTimeMs'> {
  /** Time since the run was started, waits included: `'2 days'`. */
  readonly wallTime?: Duration;
}

/** What happens at a limit: the run stops with `budget`, or waits so long for somebody to give it more. */
export type AtLimit = 'stop' | { readonly waitFor: Duration };

/** What an agent says of its limits. */
export interface BudgetTerms {
  readonly budget?: AgentBudget;
  readonly onLimit?: AtLimit;
  /** How deep sub-agents may start sub-agents: 0 for no sub-agents at all, 1 unless said otherwise. */
  readonly maxDepth?: number;
}

/** One thing wrong with the terms: the member, and what is the matter with it. */
export interface TermsProblem {
  readonly path: readonly string[];
  readonly what: string;
}

const counts: readonly string[] = ['iterations', 'tokens', 'toolCalls', 'children'];

/** All that is wrong with what somebody wrote; empty when it is well. */
export function termsProblems(terms: {
  readonly budget?: unknown;
  readonly onLimit?: unknown;
  readonly maxDepth?: unknown;
}): readonly TermsProblem[] {
  const { budget, onLimit, maxDepth } = terms;
  const problems = budget === undefined ? [] : [...budgetProblems(budget)];
  if (onLimit !== undefined && onLimit !== 'stop') {
    const waitFor = isRecord(onLimit) ? onLimit['waitFor'] : undefined;
    if (!isRecord(onLimit) || Object.keys(onLimit).some((name) => name !== 'waitFor')) {
      problems.push({ path: ['onLimit'], what: "must be 'stop' or { waitFor: '7 days' }" });
    } else if (!isDuration(waitFor)) {
      problems.push({ path: ['onLimit', 'waitFor'], what: positiveDuration });
    }
  }
  if (maxDepth !== undefined && maxDepth !== 0 && !isCount(maxDepth)) {
    problems.push({ path: ['maxDepth'], what: 'must be a whole number from 0' });
  }
  return problems;
}

const wholeNumber = 'must be a whole number from 1';
const positiveDuration = "must be a positive duration such as '2 days'";

function budgetProblems(budget: unknown): readonly TermsProblem[] {
  if (!isRecord(budget)) return [{ path: ['budget'], what: 'must be an object with limits' }];
  return Object.entries(budget).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const what = limitProblem(name, value);
    return what === undefined ? [] : [{ path: ['budget', name], what }];
  });
}

function limitProblem(name: string, value: unknown): string | undefined {
  if (counts.includes(name)) return isCount(value) ? undefined : wholeNumber;
  if (name === 'wallTime') return isDuration(value) ? undefined : positiveDuration;
  if (name !== 'usd') return `is no limit; there are ${[...counts, 'usd', 'wallTime'].join(', ')}`;
  return Number.isFinite(value) && Number(value) > 0 ? undefined : 'must be a number above 0';
}

/** The terms as runs record them; members are absent where there is nothing to record. */
export function toBudgetMembers({ budget, onLimit, maxDepth }: BudgetTerms): {
  readonly budget?: BudgetLimits;
  readonly onLimit?: OnLimit;
  readonly maxDepth?: number;
} {
  const limits = budget && toLimits(budget);
  const waitFor = onLimit === undefined || onLimit === 'stop' ? undefined : onLimit.waitFor;
  return {
    ...(limits !== undefined && Object.keys(limits).length > 0 && { budget: limits }),
    ...(waitFor !== undefined && {
      onLimit: { waitForMs: toMilliseconds(waitFor, 'onLimit.waitFor') },
    }),
    ...(maxDepth !== undefined && { maxDepth }),
  };
}

function toLimits({ wallTime, ...limits }: AgentBudget): BudgetLimits {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(given),
    ...(wallTime !== undefined && { wallTimeMs: toMilliseconds(wallTime, 'budget.wallTime') }),
  };
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function isDuration(value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  try {
    toMilliseconds(value as Duration, '');
    return true;
  } catch {
    return false;
  }
}
