/** A run that stands still: lists are told what it waits for, and its history is kept short meanwhile. */
import { condition, isCancellation } from '@temporalio/workflow';
import { beforeIteration, isStopping } from '../loop/decide.ts';
import type { Run } from './run.ts';
import { continueRun, dueContinuation } from './seal.ts';
import { writeSummary } from './summary.ts';

/**
 * Waits until `isOver`, until the run is stopped, or until `deadline`, Workflow time in milliseconds since the epoch.
 * @throws ContinueAsNew: what arrives while a run waits makes its history grow too
 */
export async function park(run: Run, isOver: () => boolean, deadline?: number): Promise<void> {
  writeSummary(run);
  const isTimeOver = () => deadline !== undefined && run.now() >= deadline;
  while (!isOver() && !isStopping(run.state) && !isTimeOver()) {
    const isDue = () => dueContinuation(run) !== 'not-yet';
    const timeoutMs = deadline === undefined ? undefined : deadline - run.now();
    await until(run, () => isOver() || isDue(), timeoutMs);
    const due = dueContinuation(run);
    if (due !== 'not-yet' && !isOver() && !isStopping(run.state)) await continueRun(run, due);
  }
  if (!isStopping(run.state)) writeSummary(run);
}

/** Waits at the run's budget for more, for as long as the agent says. A run that has room for an iteration does not wait. */
export async function waitForBudget(run: Run): Promise<void> {
  if (beforeIteration(run.state, run.now())?.reason !== 'budget') return;
  if (run.state.budgetWait === undefined) run.apply({ type: 'budget-awaited', at: run.now() });
  await park(run, () => run.state.budgetWait === undefined, run.state.budgetWait?.deadline);
}

/**
 * Waits until `isTrue` or the run is cancelled; for `timeoutMs` at most.
 * @returns false when the time is over
 */
export async function until(run: Run, isTrue: () => boolean, timeoutMs?: number): Promise<boolean> {
  try {
    const isOver = () => isTrue() || isStopping(run.state);
    if (timeoutMs !== undefined) return await condition(isOver, Math.max(1, timeoutMs));
    await condition(isOver);
    return true;
  } catch (error) {
    // Called off together with what it waited for: whoever did so has said what follows.
    if (!isCancellation(error)) throw error;
    return true;
  } finally {
    run.noteCancellation();
  }
}
