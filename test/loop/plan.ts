/** What a simulated run meets: data, so that a failing run can be printed and shrunk. */
import type { FinishReason } from '../../src/chat/finish-reason.ts';
import type { ToolCall } from '../../src/chat/tool-call.ts';
import type { Usage } from '../../src/chat/usage.ts';
import type { AgentSpec } from '../../src/loop/agent-spec.ts';
import type { BudgetLimits } from '../../src/loop/budget-limits.ts';
import type { HookChanges } from '../../src/loop/hook-changes.ts';
import type { HookMoment } from '../../src/loop/hook-moment.ts';
import type { SendMode } from '../../src/loop/run-input.ts';
import type { ActivityEnd } from '../../src/loop/tool-outcome.ts';

/** How the model answers one call. */
export interface PlannedAnswer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finishReason: FinishReason;
  readonly usage: Usage | undefined;
  readonly pause: boolean;
  readonly fails: boolean;
}

/** How one tool call ends; `rank` orders the ends within a response. */
export interface PlannedEnd {
  readonly rank: number;
  readonly end: 'finished' | 'error' | ActivityEnd;
}

type By = 'update' | 'signal';

/** What somebody tells the run; `which` is the place of the call that is meant among those of the response, one too many means none. */
export type Told =
  | { readonly kind: 'send'; readonly id: string; readonly mode: SendMode; readonly by: By }
  | {
      readonly kind: 'decide';
      readonly which: number;
      readonly decision: 'allow' | 'deny' | 'edit';
      readonly remember: boolean;
      readonly by: By;
    }
  | { readonly kind: 'answer'; readonly which: number; readonly by: By }
  | { readonly kind: 'pause' | 'resume'; readonly by: By }
  | { readonly kind: 'extendBudget'; readonly more: BudgetLimits; readonly by: By }
  /** A Signal of that name that holds something else. */
  | { readonly kind: 'rubbish'; readonly name: string; readonly payload: unknown };

/** How a sub-agent ends. */
export type PlannedChild = 'completed' | 'error' | 'failed' | 'cancelled' | 'terminated' | 'odd';

/** How a call in flight ends that was called off. */
type PlannedCut = 'as-planned' | 'partial' | 'called-off' | 'lost';

/** What a hook says of a call, by its place in the response. */
type PlannedAction = 'proceed' | 'skip' | 'abort' | 'ask' | 'invalid';

/** People who control the run, and what else goes with them. */
export interface ControlPlan {
  /** Each after so many Workflow tasks. */
  readonly told: readonly { readonly after: number; readonly what: Told }[];
  /** Workflow tasks that go by before a call has its result, in turn. */
  readonly delays: readonly number[];
  /** Whether two results come in one Workflow task, in turn. */
  readonly together: readonly boolean[];
  /** Whether results stand in history before what came from outside in the same task, in turn. */
  readonly resultsFirst: readonly boolean[];
  readonly cuts: readonly PlannedCut[];
  readonly children: readonly PlannedChild[];
  /** What is decided on calls that nobody cares for. */
  readonly fallback: 'allow' | 'deny';
  /** Workflow tasks after which a run that stands still continues as new. */
  readonly continueParked: readonly number[];
  readonly compactions: readonly ('done' | 'nothing' | 'failed')[];
  /** Moments whose hooks fail for good. */
  readonly hookFails: readonly HookMoment[];
}

export interface Plan {
  readonly agent: AgentSpec;
  readonly answers: readonly PlannedAnswer[];
  readonly ends: readonly PlannedEnd[];
  /** Messages sent: each after so many waits of the Workflow, by Update or by Signal. */
  readonly sends: readonly {
    readonly id: string;
    readonly after: number;
    readonly by: By;
  }[];
  /** Iterations after which the run tries to continue as new. */
  readonly continueAfter: readonly number[];
  /** What the agent's hooks of each moment answer; moments that are absent have no hook. */
  readonly hooks: Readonly<Partial<Record<HookMoment, HookChanges>>>;
  /** What hooks say of calls: by their place in the response. */
  readonly actions: readonly PlannedAction[];
  /** Tries to seal the transcript that fail. */
  readonly sealsFail: boolean;
  /** The wait in which the run is cancelled. */
  readonly cancelAfter: number | undefined;
  readonly control?: ControlPlan;
}

/** Nobody controls the run. */
export const noControl: ControlPlan = {
  told: [],
  delays: [0],
  together: [false],
  resultsFirst: [false],
  cuts: ['partial'],
  children: ['completed'],
  fallback: 'deny',
  continueParked: [],
  compactions: ['done'],
  hookFails: [],
};
