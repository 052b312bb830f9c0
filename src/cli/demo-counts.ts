/** What the demo's calls come to, counted from the provider's log and the tools' ledger alone. */
import type { CallLogLine } from '../testing/provider-server/call-log.ts';
import type { LedgerLine } from './demo-ledger.ts';

/** What was written down outside Everloop's own events. */
export interface DemoRecords {
  readonly log: readonly CallLogLine[];
  /** Body of each request, by its index in the log. */
  readonly bodies: readonly string[];
  readonly ledger: readonly LedgerLine[];
}

/** Counts of one demo. */
export interface DemoCounts {
  /** Requests that the provider answered to the end. */
  readonly modelCalls: number;
  /** Requests that were broken off and asked again. */
  readonly cutModelCalls: number;
  /** Executions of tools that came to their end. */
  readonly toolCalls: number;
  readonly cutToolCalls: number;
  /** Completed calls that were run again. */
  readonly repeated: number;
}

/** Counts. A request repeats a completed call when it comes with the same body after that call's answer was sent whole; a tool execution, when its key had ended before. */
export function countCalls({ log, bodies, ledger }: DemoRecords): DemoCounts {
  const answered = new Set<string>();
  let requests = 0;
  let modelCalls = 0;
  let repeated = 0;
  for (const { event, index } of log) {
    const body = bodies[index] ?? `request ${index}`;
    if (event === 'call-received') {
      requests += 1;
      if (answered.has(body)) repeated += 1;
    }
    if (event === 'finished') {
      modelCalls += 1;
      answered.add(body);
    }
  }
  const ended = new Set<string>();
  let started = 0;
  let toolCalls = 0;
  for (const { event, key } of ledger) {
    if (event === 'start') {
      started += 1;
      if (ended.has(key)) repeated += 1;
    } else {
      toolCalls += 1;
      ended.add(key);
    }
  }
  return {
    modelCalls,
    cutModelCalls: requests - modelCalls,
    toolCalls,
    cutToolCalls: started - toolCalls,
    repeated,
  };
}
