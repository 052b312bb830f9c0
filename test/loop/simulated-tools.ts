/** The tools node of a simulated run: calls that run, wait for people, are sub-agents, are called off. */
import { toolInput } from '../../src/chat/tool-input.ts';
import { endOfChild, wasCancelled } from '../../src/loop/child-end.ts';
import { isStopping } from '../../src/loop/decide.ts';
import type { PendingToolCall } from '../../src/loop/loop-state.ts';
import { childResultActivityId, toolActivityId } from '../../src/loop/message-ids.ts';
import type { RunResult } from '../../src/loop/run-result.ts';
import type { ToolOutcome } from '../../src/loop/tool-outcome.ts';
import { lostOutcome } from '../../src/loop/tool-outcome.ts';
import { toolSpecOf } from '../../src/loop/tool-spec-of.ts';
import { isParkedInTools } from '../../src/loop/wait.ts';
import type { PlannedEnd } from './plan.ts';
import type { Result, SimulatedHistory } from './simulated-history.ts';
import { runId } from './simulated-history.ts';
import { childClose, childResult, toolResultOf } from './simulated-messages.ts';

/** Seals the transcript of a run that stands still, and lets it continue as new. */
export interface Parking {
  /** Begins to seal. Undefined: nothing is to be sealed. */
  begin(): Result | undefined;
  /** @throws to leave the Temporal run */
  leave(): void;
}

/** What is in flight: how it ends, undisturbed and called off. Undefined: it does not end in time. */
interface InFlight {
  readonly rank: number;
  end(isCutOff: boolean): Result | undefined;
}

export class SimulatedTools {
  readonly #run: SimulatedHistory;
  readonly #parking: Parking;
  readonly #inFlight = new Set<InFlight>();
  #isCutOff = false;
  #sealing = false;

  constructor(run: SimulatedHistory, parking: Parking) {
    this.#run = run;
    this.#parking = parking;
  }

  /** Sees the calls through to their results: all of them, or those that `ids` names. */
  work(ids: readonly string[]): void {
    const run = this.#run;
    const first = this.#open(ids);
    const isOnly = first.length === 1 && first[0]?.status === 'proposed';
    const needsSomebody = !isOnly && first.some(({ status }) => status === 'awaiting');
    let isShown = false;
    run.isCutOff = false;
    for (;;) {
      if (!isStopping(run.state)) this.#startProposed(ids);
      if (run.isCutOff || run.state.halt !== undefined || run.state.cancelRequested) {
        this.#isCutOff = true;
      }
      run.isCutOff = false;
      if (isStopping(run.state) && this.#inFlight.size === 0) return;
      if (this.#inFlight.size === 0) {
        this.#isCutOff = false;
        if (this.#open(ids).length === 0) return;
      }
      const isParked = isParkedInTools(run.state) && !isStopping(run.state);
      if (needsSomebody && isParked !== isShown && !this.#sealing) {
        run.writeSummary();
        isShown = isParked;
      }
      if (isParked && needsSomebody && run.control.continueParked.includes(run.tasks)) {
        this.#beginContinuing();
      }
      this.#step();
    }
  }

  #open(ids: readonly string[]): readonly PendingToolCall[] {
    return this.#run.state.pendingToolCalls.filter(
      ({ call, status }) => status !== 'settled' && ids.includes(call.id),
    );
  }

  #step(): void {
    const run = this.#run;
    const results: Result[] = [];
    const wasStopping = isStopping(run.state);
    const count = run.turn('together', run.control.together) ? 2 : 1;
    const next = [...this.#inFlight].sort((a, b) => a.rank - b.rank).slice(0, count);
    for (
      let task = run.turn('delays', run.control.delays);
      task > 0 && next.length > 0;
      task -= 1
    ) {
      run.task(this.#timers());
      // What was called off meanwhile ends otherwise.
      if (run.isCutOff || isStopping(run.state) !== wasStopping) return;
    }
    for (const each of next) {
      this.#inFlight.delete(each);
      const result = each.end(this.#isCutOff);
      if (result !== undefined) results.push(result);
    }
    if (next.length > 0) {
      run.task([...this.#timers(), ...results]);
      return;
    }
    const deadline = this.#deadlines().toSorted((a, b) => a - b)[0];
    if (run.isAwaited) run.task(this.#timers());
    else if (deadline !== undefined) {
      run.passTo(deadline);
      run.task(this.#timers());
    } else this.#decideAtLast();
  }

  /** Nobody has cared for the call: somebody does now. */
  #decideAtLast(): void {
    const run = this.#run;
    const which = run.state.pendingToolCalls.findIndex(({ status }) => status === 'awaiting');
    const pending = run.state.pendingToolCalls[which];
    if (pending?.status !== 'awaiting') throw new Error('the run waits for nothing');
    const by = 'update';
    const decision = run.control.fallback;
    const told =
      pending.wait.kind === 'answer'
        ? ({ kind: 'answer', which, by } as const)
        : ({ kind: 'decide', which, decision, remember: false, by } as const);
    run.task([], [told]);
  }

  #deadlines(): readonly number[] {
    return this.#run.state.pendingToolCalls.flatMap((pending) =>
      pending.status === 'awaiting' && pending.wait.deadline !== undefined
        ? [pending.wait.deadline]
        : [],
    );
  }

  /** The timers that are due: each waiting call with a deadline has its own. */
  #timers(): readonly Result[] {
    const run = this.#run;
    const due = this.#deadlines().filter((deadline) => deadline <= run.clock);
    return due.map(() => ({
      record: () => void run.record({ type: 'timer-fired' }),
      apply: () => run.apply({ type: 'waits-expired', at: run.now }),
    }));
  }

  #startProposed(ids: readonly string[]): void {
    for (const pending of this.#open(ids)) {
      if (pending.status !== 'proposed') continue;
      const { agent } = this.#run.state;
      const tool = agent && toolSpecOf(agent, pending.call.name);
      if (tool === undefined) throw new Error('a call was proposed without its tool');
      this.#inFlight.add(
        tool.subAgent === undefined ? this.#startTool(pending) : this.#startChild(pending),
      );
    }
  }

  #startTool({ call }: PendingToolCall): InFlight {
    const run = this.#run;
    const activityId = toolActivityId(run.state.iteration, call.id);
    const name = 'everloopRunTool';
    const scheduledId = run.record({ type: 'activity-scheduled', activityId, name, input: {} });
    run.apply({ type: 'tool-started', callId: call.id });
    const { rank, end } = run.turn('ends', run.plan.ends);
    const ended = (outcome: ToolOutcome) =>
      run.apply({ type: 'tool-ended', at: run.now, callId: call.id, outcome });
    const gone = (how: Exclude<PlannedEnd['end'], string>): Result => ({
      record() {
        if (how.kind === 'called-off') run.record({ type: 'activity-cancelled', scheduledId });
        if (how.kind === 'timeout') {
          run.record({ type: 'activity-timed-out', scheduledId, heartbeat: how.heartbeat });
        }
        if (how.kind === 'failed') {
          const { message } = how;
          run.record({ type: 'activity-failed', scheduledId, failureType: 'x', message });
        }
      },
      apply: () => ended(lostOutcome(how)),
    });
    const asPlanned = (): Result => {
      if (typeof end !== 'string') return gone(end);
      const message = toolResultOf(call, activityId, end === 'error');
      const planned = run.plan.hooks.onToolEnd;
      const changes = planned === undefined ? undefined : [planned];
      const result = { message, ...(changes !== undefined && { changes }) };
      return {
        record: () => void run.record({ type: 'activity-completed', scheduledId, result }),
        apply: () => ended({ status: 'finished', ...result }),
      };
    };
    return {
      rank,
      end(isCutOff) {
        const cut = isCutOff ? run.turn('cuts', run.control.cuts) : 'as-planned';
        // Only a cancelled run goes on without those that do not stop.
        if (cut === 'lost' && run.state.cancelRequested) return undefined;
        if (cut === 'as-planned' || cut === 'lost') return asPlanned();
        if (cut === 'called-off') return gone({ kind: 'called-off' });
        const result = { cancelled: true };
        return {
          record: () => void run.record({ type: 'activity-completed', scheduledId, result }),
          apply: () => ended({ status: 'cancelled' }),
        };
      },
    };
  }

  #startChild({ call }: PendingToolCall): InFlight {
    const run = this.#run;
    const number = (run.state.children?.length ?? 0) + 1;
    const childId = `child-${number}`;
    const parent = { runId, callId: call.id, depth: 1, root: runId };
    const task = toolInput(call).ok ? 'Work.' : '';
    const input = { start: { agent: 'sub', input: task, parent } };
    run.apply({ type: 'child-started', callId: call.id, runId: childId, agent: 'sub' });
    const initiatedId = run.record({
      type: 'child-initiated',
      runId: childId,
      name: 'everloopAgentRun',
      input,
    });
    const { rank } = run.turn('ends', run.plan.ends);
    return {
      rank,
      end: (isCutOff) => {
        const cut = isCutOff ? run.turn('cuts', run.control.cuts) : 'as-planned';
        if (cut === 'lost' && run.state.cancelRequested) return undefined;
        const isCancelled = cut === 'called-off' || cut === 'partial';
        const planned = isCancelled ? 'cancelled' : run.turn('children', run.control.children);
        const closed = childClose(planned, number);
        return {
          record: () => void run.record({ type: 'child-closed', initiatedId, ...closed }),
          apply: () => {
            const end = endOfChild(closed, run.state.cancelRequested);
            if (end === undefined) this.#read(call.id, childId, number);
            else run.apply({ type: 'child-ended', at: run.now, runId: childId, ...end });
          },
        };
      },
    };
  }

  /** What a cancelled sub-agent came to has to be read. */
  #read(callId: string, childId: string, number: number): void {
    const run = this.#run;
    const scheduledId = run.record({
      type: 'activity-scheduled',
      activityId: childResultActivityId(run.state.iteration, callId),
      name: 'everloopReadResult',
      input: { runId: childId },
    });
    const ended = (end: { result: RunResult } | { problem: string }) =>
      run.apply({ type: 'child-ended', at: run.now, runId: childId, ...end });
    this.#inFlight.add({
      rank: 0,
      end: () => {
        if (number % 2 === 0) {
          const message = 'the history is gone';
          return {
            record: () =>
              void run.record({ type: 'activity-failed', scheduledId, failureType: 'x', message }),
            apply: () => ended({ problem: wasCancelled }),
          };
        }
        const result = childResult('cancelled', number);
        return {
          record: () => void run.record({ type: 'activity-completed', scheduledId, result }),
          apply: () => ended({ result }),
        };
      },
    });
  }

  /** While the transcript is sealed, calls may be decided on and begin to run. */
  #beginContinuing(): void {
    if (this.#sealing) return;
    const sealing = this.#parking.begin();
    if (sealing === undefined) return;
    this.#sealing = true;
    const leave = () => {
      this.#sealing = false;
      const { pendingToolCalls, cancelRequested } = this.#run.state;
      const isRunning = pendingToolCalls.some(({ status }) => status === 'running');
      if (!cancelRequested && !isRunning) this.#parking.leave();
    };
    const result: Result = {
      record: () => sealing.record(),
      apply() {
        sealing.apply();
        leave();
      },
    };
    this.#inFlight.add({ rank: 3, end: () => result });
  }
}
