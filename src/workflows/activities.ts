/** The Activities that the Workflow calls, as types, and how each is retried and cancelled. */
import type { ActivityOptions } from '@temporalio/workflow';
import {
  ActivityCancellationType,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type * as z from 'zod/mini';
import type { AgentSpec, ToolSpec } from '../loop/agent-spec.ts';
import type {
  ModelCallInput,
  ModelCallResult,
  ResolveAgentInput,
  SealInput,
  ToolRunInput,
  ToolRunResult,
} from '../loop/calls.ts';
import type { FromPoint } from '../loop/from-point.ts';
import type { HookInput, HookResult } from '../loop/hook-changes.ts';
import { restoreActivityId } from '../loop/message-ids.ts';
import type { Restored } from '../loop/restored.ts';
import type { RunResult } from '../loop/run-result.ts';
import { stopGraceMs } from '../loop/stop-grace.ts';
import type { TranscriptRef } from '../loop/transcript-ref.ts';
import { shortSummary } from './short-summary.ts';

/** The Activities of a Worker, under their frozen public names. */
export interface EverloopActivities {
  everloopResolveAgent(question: ResolveAgentInput): Promise<AgentSpec>;
  everloopCallModel(input: ModelCallInput): Promise<ModelCallResult>;
  everloopRunTool(input: z.input<typeof ToolRunInput>): Promise<ToolRunResult>;
  everloopSealTranscript(input: SealInput): Promise<TranscriptRef>;
  everloopRestoreState(from: FromPoint): Promise<Restored>;
  everloopRunHook(input: HookInput): Promise<HookResult>;
  everloopReadResult(run: { readonly runId: string }): Promise<RunResult>;
}

/** Resolves the agent inside the first Workflow task: no round trip through the server. */
export const resolveHere = proxyLocalActivities<Pick<EverloopActivities, 'everloopResolveAgent'>>({
  startToCloseTimeout: '10 seconds', // reads the Worker's own registry, nothing outside it
  retry: { maximumAttempts: 1 }, // an unknown agent is asked for again where people see it
});

/** Asks every Worker in turn for an agent that the first one does not have, until one has it. */
export const resolveAnywhere = proxyActivities<Pick<EverloopActivities, 'everloopResolveAgent'>>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 seconds' },
  cancellationType: ActivityCancellationType.TRY_CANCEL, // resolving has no effect to wait for
});

/** Hooks that touch nothing outside their process: no round trip through the server. */
export const localHooks = proxyLocalActivities<Pick<EverloopActivities, 'everloopRunHook'>>({
  startToCloseTimeout: '5 seconds', // the run itself waits meanwhile, and its Updates and Queries with it
  retry: { maximumAttempts: 3, initialInterval: '100 ms' },
});

/** Tools that touch nothing outside their process. One that takes longer is run again like any other. */
export const localTools = proxyLocalActivities<Pick<EverloopActivities, 'everloopRunTool'>>({
  startToCloseTimeout: '1 second', // the run itself waits meanwhile, and its Updates and Queries with it
  retry: { maximumAttempts: 1 },
});

/** Doubling from a second: most faults of a provider are over within seconds, an outage is asked about once a minute. */
const backoff = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '1 minute',
} as const;

/** The Activities that are retried by the server. */
export const nodes = proxyActivities<
  Pick<
    EverloopActivities,
    | 'everloopCallModel'
    | 'everloopRunTool'
    | 'everloopSealTranscript'
    | 'everloopRestoreState'
    | 'everloopRunHook'
    | 'everloopReadResult'
  >
>({
  startToCloseTimeout: '1 hour', // each call sets its own
});

/**
 * Options of a model call. No schedule-to-close timeout: time in the queue must not end a waiting run.
 * 66 attempts with at most a minute between them are about an hour of trying; where another model stands by,
 * three are enough to see past a fault of a moment.
 * @param model index in the agent's list
 */
export function modelOptions(agent: AgentSpec, activityId: string, model: number): ActivityOptions {
  return {
    activityId, // `<iteration>/model`: a summary would say no more
    startToCloseTimeout: '1 hour', // long reasoning answers; a silent provider is cut off much earlier by the idle timeout
    heartbeatTimeout: agent.heartbeatTimeoutMs,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED, // the text so far comes back
    retry: {
      ...backoff,
      maximumAttempts: model + 1 < agent.models.length ? 3 : 66,
    },
  };
}

/**
 * Options of sealing the transcript. `attempts` 0: until it works, because the run cannot go on without; people
 * see it wait, and why.
 */
export function sealOptions(
  agent: AgentSpec,
  activityId: string,
  attempts: number,
): ActivityOptions {
  return {
    activityId,
    startToCloseTimeout: '2 minutes', // reads a history of 50 MiB at most and writes as much
    heartbeatTimeout: agent.heartbeatTimeoutMs,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED, // history and Workflow must tell the same of it
    retry: { ...backoff, maximumAttempts: attempts },
  };
}

/**
 * Options of looking for the point that a run goes on from. Until it works: the run has nothing to do without, and
 * what keeps it is a server or a blob store that comes back. People see it wait, and why.
 */
export function restoreOptions(summary: string): ActivityOptions {
  return {
    activityId: restoreActivityId,
    summary: shortSummary(summary),
    startToCloseTimeout: '2 minutes', // reads a history of 50 MiB at most and writes as much
    heartbeatTimeout: '20 seconds', // no agent is known yet that says more
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED, // history and Workflow must tell the same of it
    retry: backoff,
  };
}

/**
 * Options of reading the result of a run that recorded none. Until it works: it fails only while the server does,
 * or no Worker is there.
 */
export function readResultOptions(runId: string): ActivityOptions {
  return {
    summary: `result of ${runId}`,
    startToCloseTimeout: '1 minute', // reads a history of 50 MiB at most
    retry: backoff,
  };
}

/** Options of asking hooks. Each hook has a timeout of its own; this one is for a Worker that cannot even keep that. */
export function hookOptions(agent: AgentSpec, activityId: string): ActivityOptions {
  return {
    activityId,
    startToCloseTimeout: '30 minutes',
    heartbeatTimeout: agent.heartbeatTimeoutMs,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED, // what a hook has changed is recorded
    retry: { ...backoff, maximumAttempts: 66 }, // a RetryableError, a lost Worker, one that lacks the hook: an hour, as for a model
  };
}

/** Options of a tool call: how often it may be tried follows from its effect. */
export function toolOptions(
  agent: AgentSpec,
  tool: ToolSpec,
  activityId: string,
  summary: string,
): ActivityOptions {
  return {
    activityId,
    summary,
    // The Activity itself ends a call at its timeout; this catches one that cannot even do that.
    startToCloseTimeout: (tool.maxWaitMs ?? 0) + tool.timeoutMs + stopGraceMs,
    heartbeatTimeout: agent.heartbeatTimeoutMs,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED, // a finished effect keeps its result
    retry: {
      ...backoff,
      maximumAttempts: tool.maxAttempts,
    },
  };
}
