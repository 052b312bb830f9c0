/** The wrapper `limit`: a gate in front of tools, for what takes few callers at a time. */
import type { Duration } from '@temporalio/common';
import type { Tool } from '../../tools/define-tool.ts';
import { toMilliseconds } from '../../tools/duration.ts';
import type { ToolWrapper } from '../../tools/wrap-tool.ts';
import { Gate } from './gate.ts';

/** How many calls at once, and how long the others wait. */
export interface LimitOptions {
  /** Calls at once. */
  readonly concurrency: number;
  /** What the gate is in front of, as errors name it; `the tools` when absent. */
  readonly name?: string;
  /** How long a call waits at most; one hour when absent. */
  readonly maxWait?: Duration;
}

/** Long enough for a queue of slow calls; a call that waits longer than that is more likely forgotten than wanted. */
const defaultMaxWait = '1 hour';

/**
 * Limits how many calls run at once, over all runs of a Worker and all tools that are wrapped with the same limit.
 * First come, first served. Waiting does not count against a tool's timeout, and a call that is cancelled while
 * it waits is not executed.
 * @throws TypeError when a number means nothing
 */
export function limit(options: LimitOptions): ToolWrapper {
  const { concurrency, name = 'the tools', maxWait = defaultMaxWait } = options;
  if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
    throw new TypeError(`limit of ${name}: concurrency: ${concurrency} is no whole number from 1`);
  }
  const maxWaitMs = toMilliseconds(maxWait, `limit of ${name}: maxWait`);
  const gate = new Gate({ concurrency, name, maxWaitMs });
  return (next) => {
    const { gates, other } = partsOf(next.admit);
    const all = [...new Set([...gates, gate])].sort(byRank);
    const waits = all.reduce((sum, each) => sum + each.maxWaitMs, 0);
    const otherMs = other === undefined ? 0 : (next.maxWaitMs ?? 0);
    return { ...next, admit: admission(all, other), maxWaitMs: waits + otherMs };
  };
}

type Admit = NonNullable<Tool['admit']>;

/** An admission by gates, which a further limit takes apart: a gate is passed once, whoever put it there twice. */
interface Admission extends Admit {
  readonly gates: readonly Gate[];
  /** An admission that is not of this kind, passed last. */
  readonly other: Admit | undefined;
}

function admission(gates: readonly Gate[], other: Admit | undefined): Admission {
  const admit = async (signal: AbortSignal) => {
    const leave: (() => void)[] = [];
    const leaveAll = () => {
      for (const each of leave.splice(0)) each();
    };
    try {
      for (const gate of gates) leave.push(await gate.pass(signal));
      if (other !== undefined) leave.push(await other(signal));
      return leaveAll;
    } catch (error) {
      leaveAll();
      throw error;
    }
  };
  return Object.assign(admit, { gates, other });
}

function partsOf(admit: Admit | undefined): Pick<Admission, 'gates' | 'other'> {
  if (admit === undefined) return { gates: [], other: undefined };
  return isAdmission(admit) ? admit : { gates: [], other: admit };
}

function isAdmission(admit: Admit): admit is Admission {
  return 'gates' in admit;
}

function byRank(a: Gate, b: Gate): number {
  return a.rank < b.rank ? -1 : 1;
}
