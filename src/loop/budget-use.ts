/** The limits of a run that are in force, and what of them is spent: by the run itself and by its children. */
import type { UsageTotal } from '../chat/usage.ts';
import { totalTokens } from '../chat/usage-total.ts';
import { toMicroUsd, toUsd } from './budget-cost.ts';
import type { BudgetLimits } from './budget-limits.ts';
import type { LoopState } from './loop-state.ts';

/** The limits, in the order in which they are looked at and named. */
export const limitNames = [
  'iterations',
  'tokens',
  'usd',
  'wallTimeMs',
  'toolCalls',
  'children',
] as const satisfies readonly (keyof BudgetLimits)[];

/** The name of a limit. */
export type LimitName = (typeof limitNames)[number];

/** Counts by limit; `usd` in millionths of a dollar. */
export type Amounts = Readonly<Record<LimitName, number>>;

/** What a child run has used; the members of its own children are in it. */
export interface ChildSpending {
  readonly runId: string;
  readonly usage: UsageTotal;
  readonly costMicroUsd?: number;
  readonly iterations?: number;
  readonly toolCalls?: number;
  /** Child runs of the child. */
  readonly children?: number;
}

/** One limit and what of it is spent, both in the limit's own unit. */
export interface BudgetUse {
  readonly limit: LimitName;
  readonly allowed: number;
  readonly spent: number;
}

/** What decides the limits of a run. */
type Limited = Pick<LoopState, 'agent' | 'start' | 'extension'>;

/**
 * The limits in force: the agent's, those that the run was started with in their place, key by key, and what they
 * were extended by. What has no limit cannot be extended.
 */
export function limitsOf({ agent, start, extension }: Limited): BudgetLimits {
  const limits: BudgetLimits = { ...agent?.budget, ...start.budget };
  // What a sub-agent is granted does not lift the limits of its own.
  if (start.parent !== undefined) lower(limits, agent?.budget);
  for (const name of limitNames) {
    const limit = limits[name];
    const more = extension?.[name];
    if (limit !== undefined && more !== undefined) limits[name] = limit + more;
  }
  return limits;
}

/** Takes the lower of both where there are two. */
function lower(limits: BudgetLimits, own: BudgetLimits = {}): void {
  for (const name of limitNames) {
    const [limit, other] = [limits[name], own[name]];
    if (limit !== undefined && other !== undefined) limits[name] = Math.min(limit, other);
  }
}

/** The limits in force as counts; undefined where there is none. */
export function allowedBy(limits: BudgetLimits): {
  readonly [Name in LimitName]?: number | undefined;
} {
  const { usd, ...counts } = limits;
  return { ...counts, ...(usd !== undefined && { usd: toMicroUsd(usd) }) };
}

/** Whether the run has a limit that model calls spend by their size. */
export function limitsModelCalls(state: Limited): boolean {
  const { tokens, usd } = limitsOf(state);
  return tokens !== undefined || usd !== undefined;
}

/** Everything that was spent until `now`, Workflow time in milliseconds since the epoch. */
export function spentOf(state: LoopState, now: number): Amounts {
  const { iteration, usage, assumed, costMicroUsd = 0, startedAt, toolCalls } = state;
  const below = spentByChildren(state);
  return {
    iterations: iteration + below.iterations,
    tokens: totalTokens(usage) + (assumed?.tokens ?? 0) + below.tokens,
    usd: costMicroUsd + (assumed?.costMicroUsd ?? 0) + below.usd,
    wallTimeMs: Math.max(0, now - startedAt),
    toolCalls: toolCalls + below.toolCalls,
    children: below.children,
  };
}

/** The one place where what children used is added. */
function spentByChildren({ children = [] }: LoopState): Omit<Amounts, 'wallTimeMs'> {
  const sum = { iterations: 0, tokens: 0, usd: 0, toolCalls: 0, children: children.length };
  for (const child of children) {
    sum.iterations += child.iterations ?? 0;
    sum.tokens += totalTokens(child.usage);
    sum.usd += child.costMicroUsd ?? 0;
    sum.toolCalls += child.toolCalls ?? 0;
    sum.children += child.children ?? 0;
  }
  return sum;
}

/**
 * What the run and its children cost, in millionths of a dollar; undefined while nothing that has a price was
 * used. Calls whose provider told no usage are not in it.
 */
function costMicroUsdOf({ costMicroUsd, children = [] }: LoopState): number | undefined {
  const costs = [costMicroUsd, ...children.map((child) => child.costMicroUsd)];
  const known = costs.filter((cost) => cost !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, cost) => sum + cost, 0);
}

/** The limits in force with what is spent of each; without `now` the time is left out. */
export function budgetUse(state: LoopState, now?: number): readonly BudgetUse[] {
  const limits = limitsOf(state);
  const named = limitNames.filter((name) => limits[name] !== undefined);
  if (named.length === 0) return [];
  const spent = spentOf(state, now ?? state.startedAt);
  return named.flatMap((limit) => {
    const allowed = limits[limit];
    if (allowed === undefined || (limit === 'wallTimeMs' && now === undefined)) return [];
    return [{ limit, allowed, spent: limit === 'usd' ? toUsd(spent.usd) : spent[limit] }];
  });
}

/** What a run cost and what is spent of its limits, as it is told outside; members are absent where there is nothing to tell. */
export interface Spending {
  /** US dollars. */
  readonly costUsd?: number;
  readonly budget?: readonly BudgetUse[];
}

/** @param now Workflow time in milliseconds since the epoch; without it the limit of time is left out */
export function spendingOf(state: LoopState, now?: number): Spending {
  const microUsd = costMicroUsdOf(state);
  const budget = budgetUse(state, now);
  return {
    ...(microUsd !== undefined && { costUsd: toUsd(microUsd) }),
    ...(budget.length > 0 && { budget }),
  };
}

/** The share of a limit from which on watchers are warned. */
const warningShare = 0.8;

/** The limits of which so much is spent that watchers are warned. */
export function nearLimits(state: LoopState, now: number): readonly BudgetUse[] {
  return budgetUse(state, now).filter(({ spent, allowed }) => spent >= warningShare * allowed);
}

/** The share that is spent of the limit that is nearest; undefined without limits. */
export function highestShare(uses: readonly BudgetUse[]): number | undefined {
  if (uses.length === 0) return undefined;
  return Math.max(...uses.map(({ spent, allowed }) => spent / allowed));
}
