/** Whether the next step of a run would cross one of its limits. Decided on recorded figures and Workflow time alone. */
import { toUsd } from './budget-cost.ts';
import { reservation } from './budget-reservation.ts';
import { amountText } from './budget-text.ts';
import type { Amounts, LimitName } from './budget-use.ts';
import { allowedBy, limitsOf, spentOf } from './budget-use.ts';
import type { LoopState } from './loop-state.ts';
import { shortName } from './placeholders.ts';
import type { Stop } from './stop.ts';

/** A limit that leaves no room for the next model call; amounts as {@link Amounts} count them. */
interface Crossing {
  readonly limit: LimitName;
  readonly allowed: number;
  readonly spent: number;
  /** What the next call may take. */
  readonly need: number;
}

/**
 * The stop of a run whose next iteration would cross a limit; undefined while there is room, and always for a run
 * without limits. `now`: Workflow time in milliseconds since the epoch.
 */
export function budgetStop(state: LoopState, now: number): Stop | undefined {
  const crossing = crossingOf(state, now);
  if (crossing === undefined) return undefined;
  return {
    reason: 'budget',
    detail: `The run stopped at its budget of ${described(crossing)}; to go on, retry it with a larger budget.`,
  };
}

/** Whether the next iteration would cross a limit. */
export function isOverBudget(state: LoopState, now: number): boolean {
  return crossingOf(state, now) !== undefined;
}

/** What people are told of a run that waits for more. */
export function budgetWait(state: LoopState, now: number): string {
  const crossing = crossingOf(state, now);
  const why = crossing === undefined ? '' : ` of ${described(crossing)}`;
  return `The run waits at its budget${why}; give it more with: everloop extend-budget ${state.runId}`;
}

/**
 * Whether one more model call of this iteration, such as one of the next model of the agent's list, would cross a
 * limit.
 */
export function isCallOverBudget(state: LoopState): boolean {
  return crossingOf(state, state.startedAt, ['tokens', 'usd']) !== undefined;
}

/** Tool calls that may still be started; undefined without a limit. */
export function toolCallsLeft(state: LoopState): number | undefined {
  const { toolCalls } = limitsOf(state);
  if (toolCalls === undefined) return undefined;
  return Math.max(0, toolCalls - spentOf(state, state.startedAt).toolCalls);
}

/** What the model is told of a call for which the budget has no room. */
export function beyondToolCalls(name: string): string {
  return `not executed: ${shortName(name)}: the run's budget of tool calls is spent. Go on without further calls.`;
}

/** Limits that are looked at before a model call; tool calls and child runs are, where they are started. */
const ofModelCalls: readonly LimitName[] = ['iterations', 'tokens', 'usd', 'wallTimeMs'];

function crossingOf(
  state: LoopState,
  now: number,
  looked: readonly LimitName[] = ofModelCalls,
): Crossing | undefined {
  const allowedAmounts = allowedBy(limitsOf(state));
  const limited = looked.filter((limit) => allowedAmounts[limit] !== undefined);
  if (limited.length === 0) return undefined;
  const spentAmounts = spentOf(state, now);
  const needs = needsOf(state, limited);
  for (const limit of limited) {
    const [allowed = 0, spent, need] = [allowedAmounts[limit], spentAmounts[limit], needs[limit]];
    if (spent + need > allowed) return { limit, allowed, spent, need };
  }
  return undefined;
}

function needsOf(state: LoopState, limited: readonly LimitName[]): Amounts {
  const isCounted = limited.includes('tokens') || limited.includes('usd');
  const { tokens, microUsd = 0 } = isCounted ? reservation(state) : { tokens: 0 };
  // At its last millisecond the time is over.
  return { iterations: 1, tokens, usd: microUsd, wallTimeMs: 1, toolCalls: 0, children: 0 };
}

function described({ limit, allowed, spent, need }: Crossing): string {
  const text = (amount: number) => amountText(limit, limit === 'usd' ? toUsd(amount) : amount);
  const spentText = `${text(allowed)}: ${text(spent)} spent`;
  return limit === 'wallTimeMs'
    ? spentText
    : `${spentText}, and the next model call may take ${text(need)}`;
}
