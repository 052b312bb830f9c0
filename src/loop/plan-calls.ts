/** Decides, before anything is run, which of a response's tool calls can be executed. */
import { callsOf } from '../chat/calls-of.ts';
import type { FinishReason } from '../chat/finish-reason.ts';
import type { ToolCall } from '../chat/tool-call.ts';
import { toolInput } from '../chat/tool-input.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { AgentSpec } from './agent-spec.ts';
import { beyondToolCalls } from './budget.ts';
import type { PendingToolCall } from './loop-state.ts';
import { activityMessageId, toolActivityId } from './message-ids.ts';
import { ownResult, shortName } from './placeholders.ts';
import { toolSpecOf } from './tool-spec-of.ts';

/** Finish reasons after which calls stand in the message but are never executed, and the run is over. */
const terminal: readonly FinishReason[] = ['refusal', 'content_filter', 'other'];

/** True when the reason itself ends the run, calls or not. */
export function endsRun(reason: FinishReason): boolean {
  return terminal.includes(reason);
}

/**
 * The calls of a response as pending calls: those that can be run are `proposed`; those that cannot are
 * settled at once with an error result that tells the model what to change.
 */
export function planCalls(
  agent: AgentSpec,
  response: {
    readonly message?: TranscriptMessage;
    readonly finishReason: FinishReason;
    readonly providerPause?: boolean;
  },
  where: {
    readonly firstTemporalRunId: string;
    readonly iteration: number;
    readonly at: number;
    /** Calls that the budget still allows; undefined without a limit. */
    readonly toolCallsLeft?: number | undefined;
  },
): readonly PendingToolCall[] {
  const calls = callsOf(response.message);
  const isKnown = ({ name }: ToolCall) => toolSpecOf(agent, name) !== undefined;
  const firstUnknown = calls.findIndex((call) => !isKnown(call));
  let left = where.toolCallsLeft ?? Number.POSITIVE_INFINITY;
  return calls.map((call, index) => {
    let problem = endsRun(response.finishReason)
      ? undefined
      : problemOf(agent, call, {
          index,
          isCut: isCut(response),
          namesTools: index === firstUnknown,
        });
    if (problem === undefined && left === 0) problem = beyondToolCalls(call.name);
    if (problem === undefined) {
      left -= 1;
      return { status: 'proposed', call, index };
    }
    const id = activityMessageId(
      where.firstTemporalRunId,
      toolActivityId(where.iteration, call.id),
      0,
    );
    const message = ownResult(id, call, problem, where.at, true);
    return { status: 'settled', call, index, message, placeholder: true };
  });
}

/** A provider's own pause is given as `length` too, and cuts nothing. */
function isCut({
  finishReason,
  providerPause,
}: {
  readonly finishReason: FinishReason;
  readonly providerPause?: boolean;
}): boolean {
  return finishReason === 'length' && providerPause !== true;
}

/** Calls of one response that are run; the server keeps no more than 2,000 open Activities per run. */
const maxExecutedCalls = 200;
/** Tools named to a model that called one which is not there. */
const maxNames = 20;

function problemOf(
  agent: AgentSpec,
  call: ToolCall,
  where: { readonly index: number; readonly isCut: boolean; readonly namesTools: boolean },
): string | undefined {
  const name = shortName(call.name);
  if (where.isCut) {
    return `not executed: ${name}: your output was cut at its length limit, so its arguments may be incomplete. Make a shorter call.`;
  }
  if (where.index >= maxExecutedCalls) {
    return `not executed: ${name}: a response may make ${maxExecutedCalls} calls at most. Make it again in the next one.`;
  }
  if (toolSpecOf(agent, call.name) === undefined) {
    // Once is enough: a response may make a thousand such calls.
    return `unknown tool: ${name}.${where.namesTools ? ` ${available(agent)}` : ''}`;
  }
  const input = toolInput(call);
  if (!input.ok) {
    return `invalid arguments for ${name}: ${input.problem}. Send one JSON object that fits the tool's input schema.`;
  }
  return undefined;
}

function available({ tools }: AgentSpec): string {
  if (tools.length === 0) return 'There are no tools.';
  const names = tools.slice(0, maxNames).map((tool) => tool.definition.name);
  const more = tools.length > maxNames ? ` and ${tools.length - maxNames} more` : '';
  return `Available tools: ${names.join(', ')}${more}.`;
}
