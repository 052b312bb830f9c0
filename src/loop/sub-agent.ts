/** Sub-agents: calls that are runs of their own. What such a run is started with, and what becomes of its result. */
import type { ToolCall } from '../chat/tool-call.ts';
import { toolInput } from '../chat/tool-input.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { BudgetLimits } from './budget-limits.ts';
import { allowedBy, limitNames, limitsOf, spentOf } from './budget-use.ts';
import { cutBytes } from './cut-text.ts';
import type { LoopState } from './loop-state.ts';
import { ownResult, shortName } from './placeholders.ts';
import type { RunResult } from './run-result.ts';
import { toolSpecOf } from './tool-spec-of.ts';

/** How deep sub-agents may start sub-agents, when the agent says nothing else. */
const defaultMaxDepth = 1;

/** Why the call starts no run, in words for the model; undefined when it may. */
export function subAgentProblem(state: LoopState, call: ToolCall): string | undefined {
  const name = shortName(call.name);
  const depth = state.start.parent?.depth ?? 0;
  if (depth >= (state.agent?.maxDepth ?? defaultMaxDepth)) {
    return `not executed: ${name}: a sub-agent may not start another one here. Do the task yourself.`;
  }
  if (taskOf(call) === '') {
    return `invalid arguments for ${name}: task: must be text that says what is to be done.`;
  }
  const limit = limitsOf(state).children;
  if (limit !== undefined && (state.children?.length ?? 0) + openBefore(state, call) >= limit) {
    return `not executed: ${name}: this run may start ${limit} sub-agents at most. Do the task yourself.`;
  }
  return undefined;
}

/** Sub-agents that the same response calls before this one, and that are still to be started. */
function openBefore({ agent, pendingToolCalls }: LoopState, call: ToolCall): number {
  const index = pendingToolCalls.findIndex((pending) => pending.call.id === call.id);
  return pendingToolCalls.slice(0, index).filter(({ call: { name }, status }) => {
    const isOpen = status === 'proposed' || status === 'awaiting';
    return isOpen && agent !== undefined && toolSpecOf(agent, name)?.subAgent !== undefined;
  }).length;
}

/** What the sub-agent is told: a frame around the task. The model's own words are not changed. */
export function taskMessage(call: ToolCall): string {
  return `You work on one task for another agent. It sees nothing of your work but your last reply, which is the result: make it self-contained.\n\n${taskOf(call)}`;
}

/** The first line of the task, to tell runs apart in lists. */
export function taskTitle(call: ToolCall): string {
  return taskOf(call).split('\n', 1)[0] ?? '';
}

function taskOf(call: ToolCall): string {
  const input = toolInput(call);
  const task = input.ok ? input.input['task'] : undefined;
  return typeof task === 'string' ? task.trim() : '';
}

/**
 * The sub-agent's share of what is left: as much as each other sub-agent of the response gets. Absent without limits.
 * @param now Workflow time in milliseconds since the epoch
 */
export function budgetSlice(state: LoopState, now: number): BudgetLimits | undefined {
  const allowed = allowedBy(limitsOf(state));
  const spent = spentOf(state, now);
  const sharers = Math.max(1, openSubAgents(state));
  const slice: BudgetLimits = {};
  for (const name of limitNames) {
    const limit = allowed[name];
    if (limit === undefined) continue;
    // Time passes for all of them at once.
    const share = (limit - spent[name]) / (name === 'wallTimeMs' ? 1 : sharers);
    const whole = Math.max(1, Math.floor(share));
    slice[name] = name === 'usd' ? whole / 1_000_000 : whole;
  }
  return Object.keys(slice).length === 0 ? undefined : slice;
}

function openSubAgents({ agent, pendingToolCalls }: LoopState): number {
  if (agent === undefined) return 0;
  return pendingToolCalls.filter(
    ({ call, status }) =>
      status !== 'settled' && toolSpecOf(agent, call.name)?.subAgent !== undefined,
  ).length;
}

/**
 * Index of the last message that a sub-agent with a forked context begins with: those before the message that
 * calls it, and not a user message directly before that one, which asks for more than its task. -1: none.
 */
export function forkedContextEnd({ transcript: { count, tail } }: LoopState): number {
  const calling = count - 1;
  const before = tail.at(-2);
  return before?.role === 'user' ? calling - 2 : calling - 1;
}

/** Longest answer of a sub-agent that its parent sees, bytes; the whole of it is in the sub-agent's own run. */
const answerBytes = 64 * 1024;

/**
 * The sub-agent's answer as the result of its call.
 * @param result undefined for one that ended without any: it was terminated, or is being cancelled
 */
export function subAgentResult(
  id: string,
  call: ToolCall,
  end: { readonly runId: string; readonly result?: RunResult; readonly problem?: string },
  at: number,
): TranscriptMessage {
  const { text, isError } = answerOf(end);
  const message = ownResult(id, call, cutBytes(text, answerBytes), at, isError);
  const [part] = message.parts;
  if (part?.kind !== 'tool_result') return message;
  const output = { ...part.toolResult.output, details: { runId: end.runId } };
  return { ...message, parts: [{ ...part, toolResult: { ...part.toolResult, output } }] };
}

function answerOf({
  result,
  problem = 'it ended without a result',
}: {
  readonly result?: RunResult;
  readonly problem?: string;
}): { text: string; isError: boolean } {
  if (result === undefined) return { text: `task failed: ${problem}`, isError: true };
  const { output, stopReason, ended } = result;
  if (stopReason === 'error') return { text: `task failed: ${ended}`, isError: true };
  const said = output.trim() === '' ? '(no output)' : output;
  if (stopReason === 'completed') return { text: said, isError: false };
  return {
    text: `${said}\n\n(The sub-agent stopped early, so this may be incomplete: ${ended})`,
    isError: false,
  };
}
