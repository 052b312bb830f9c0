/** Compares two runs: what was said in them, and what they came to. Pure. */
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { UsageTotal } from '../chat/usage.ts';
import { noUsage } from '../chat/usage-total.ts';
import type { LoopState } from '../loop/loop-state.ts';
import type { RunStatus } from '../loop/run-status.ts';
import type { TranscriptsDiff } from './diff-transcripts.ts';
import { diffTranscripts } from './diff-transcripts.ts';

/** What a run came to so far. */
export interface RunOutcome {
  readonly id: string;
  readonly agent: string;
  /** `running`, what it waits for, or why it ended. */
  readonly status: RunStatus;
  readonly messages: number;
  readonly iterations: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly usage: UsageTotal;
}

/** How two runs compare. */
export interface RunsDiff extends TranscriptsDiff {
  /** They say the same and ended alike. What it took them, their figures, may still differ. */
  readonly same: boolean;
  readonly a: RunOutcome;
  readonly b: RunOutcome;
}

/** One of the two: where it stands, and its whole transcript. */
export interface RunSide {
  readonly id: string;
  readonly status: RunStatus;
  /** Absent when the run was started with what it could not take. */
  readonly state?: LoopState;
  readonly messages: readonly TranscriptMessage[];
}

/** Where the two part, and what each came to. */
export function diffRuns(a: RunSide, b: RunSide): RunsDiff {
  const { common, rest } = diffTranscripts(a.messages, b.messages);
  const same = rest.length === 0 && a.status === b.status;
  return { same, common, rest, a: outcomeOf(a), b: outcomeOf(b) };
}

function outcomeOf({ id, status, state, messages }: RunSide): RunOutcome {
  return {
    id,
    agent: state?.start.agent ?? '',
    status,
    messages: messages.length,
    iterations: state?.iteration ?? 0,
    modelCalls: state?.modelCalls ?? 0,
    toolCalls: state?.toolCalls ?? 0,
    usage: state?.usage ?? noUsage,
  };
}
