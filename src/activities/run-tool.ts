/** The tool Activity: runs one tool call and returns its result as the final message. */
import { activityInfo, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type * as z from 'zod/mini';
import type { AgentDefinition } from '../agents/define-agent.ts';
import type { IdentifiedMessage } from '../chat/transcript-message.ts';
import type { Attempt, ToolRunResult } from '../loop/calls.ts';
import { ToolRunInput } from '../loop/calls.ts';
import { failureType } from '../loop/failure-types.ts';
import type { Tool } from '../tools/define-tool.ts';
import { callHere } from './call-here.ts';
import type { ToolSurroundings } from './create-tool-context.ts';
import type { Ended } from './execute-call.ts';
import { executeCall } from './execute-call.ts';
import { fitResult } from './fit-result.ts';
import { withHeartbeat } from './heartbeat.ts';
import { hooksOf } from './hooks-of.ts';
import { createKeeper } from './keeper.ts';
import type { ReadHistory } from './rebuild-context.ts';
import { messagesOf } from './rebuild-context.ts';
import type { RewrittenResult } from './tool-hooks.ts';
import { rewriteResult } from './tool-hooks.ts';
import { unknownAgentHere } from './unknown-here.ts';

/** Of the Activity's time, what storing the result and the answer's way take. */
const reserveMs = 4_000;

/** What the tool Activity needs of its Worker. */
export interface RunToolDependencies extends ToolSurroundings {
  readonly agents: ReadonlyMap<string, Pick<AgentDefinition, 'hooks'>>;
  readonly readHistory: ReadHistory;
  readonly heartbeatIntervalMs: number;
  /** The code behind a tool, or undefined when this Worker has none. */
  readonly toolNamed: (agent: string, name: string) => Tool | undefined;
  /** Name of the tool with which the agent reads large results; undefined when it has none. */
  readonly readerOf: (agent: string) => string | undefined;
}

/** Makes the Activity `everloopRunTool`. */
export function createRunTool(dependencies: RunToolDependencies) {
  return async (raw: z.input<typeof ToolRunInput>): Promise<ToolRunResult> => {
    const input = ToolRunInput.parse(raw);
    const run = async (attempts: readonly Attempt[]): Promise<ToolRunResult> => {
      const { agent, call, maxResultBytes, view } = input;
      // Before the call is made: what it came to must not wait for what is elsewhere.
      const lacking = lackingHere(dependencies.agents, agent, view?.hooks ?? []);
      if (lacking !== undefined) return elsewhere(lacking);
      const startedAt = Date.now();
      const keeper = createKeeper(dependencies.blobs, startedAt);
      const deadline = startedAt + activityInfo().startToCloseTimeoutMs - reserveMs;
      const ended = await executeCall(
        dependencies,
        dependencies.toolNamed(agent, call.name),
        input,
      );
      if (typeof ended === 'string') return notEnded(ended);
      const limit = { maxResultBytes, reader: dependencies.readerOf(agent) };
      const review = await reviewResult(dependencies, input, resultMessage(input, ended), deadline);
      const { message, changes, hookError } = review;
      const result: ToolRunResult = {
        message: await fitResult(message, limit, keeper),
        ...(attempts.length > 0 && { attempts: [...attempts] }),
        ...(changes.length > 0 && { changes: [...changes] }),
        ...(hookError !== undefined && { hookError }),
      };
      if (activityInfo().isLocal && isTooLargeHere(result)) throw tooLargeHere();
      return result;
    };
    // A local Activity beats for nobody.
    return activityInfo().isLocal
      ? await run([])
      : await withHeartbeat(dependencies.heartbeatIntervalMs, run);
  };
}

function lackingHere(
  agents: RunToolDependencies['agents'],
  agent: string,
  hooks: readonly string[],
): ApplicationFailure | undefined {
  if (!agents.has(agent)) return unknownAgentHere(agent);
  try {
    hooksOf(agents, agent, hooks);
    return undefined;
  } catch (error) {
    if (error instanceof ApplicationFailure) return error;
    throw error;
  }
}

/** Another Worker may make the call; where there is no other attempt, it has not been made at all. */
function elsewhere(lacking: ApplicationFailure): ToolRunResult {
  const { attempt, retryPolicy, isLocal } = activityInfo();
  if (isLocal || attempt < (retryPolicy?.maximumAttempts ?? 1)) throw lacking;
  return { notStarted: true };
}

/** All that is local in a Workflow task is written with its completion, for which the server takes 4 MB. */
const maxLocalBytes = 100 * 1024;

function isTooLargeHere(result: ToolRunResult): boolean {
  return Buffer.byteLength(JSON.stringify(result)) > maxLocalBytes;
}

/** The call is made again as an Activity, which has a completion of its own. */
function tooLargeHere(): ApplicationFailure {
  return ApplicationFailure.create({
    type: failureType.tooLarge,
    message: `the result is larger than ${maxLocalBytes} bytes`,
    nonRetryable: true,
  });
}

/** History keeps of a local call nothing but its result, so that one without a result has to fail. */
function notEnded(how: 'cancelled' | 'not-started'): ToolRunResult {
  const { info, cancellationSignal } = Context.current();
  if (info.isLocal) throw cancellationSignal.reason;
  return how === 'cancelled' ? { cancelled: true } : { notStarted: true };
}

/** The hooks see the whole result, before anything of it is put away. */
async function reviewResult(
  { agents, readHistory, blobs }: RunToolDependencies,
  { agent, call, view, activityId }: z.output<typeof ToolRunInput>,
  result: IdentifiedMessage,
  deadline: number,
): Promise<RewrittenResult> {
  if (view === undefined) return { message: result, changes: [] };
  const hooks = hooksOf(agents, agent, view.hooks);
  const here = callHere(activityId);
  const messages = messagesOf({ readHistory, blobs }, here);
  const afterCall = { deadline };
  const asking = { agent, iteration: here.iteration, view, messages, afterCall };
  return await rewriteResult(hooks, asking, call, result);
}

function resultMessage(
  { call, activityId }: ToolRunInput,
  { output, isError }: Exclude<Ended, string>,
): IdentifiedMessage {
  return {
    id: callHere(activityId).messageId,
    role: 'tool',
    parts: [
      {
        kind: 'tool_result',
        toolResult: { id: call.id, name: call.name, output, ...(isError && { isError }) },
      },
    ],
  };
}
