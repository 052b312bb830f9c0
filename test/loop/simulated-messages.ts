/** What models, tools and sub-agents of a simulated run answer. */
import { callsOf } from '../../src/chat/calls-of.ts';
import type { ToolCall } from '../../src/chat/tool-call.ts';
import type { IdentifiedMessage, TranscriptMessage } from '../../src/chat/transcript-message.ts';
import { withUniqueCallIds } from '../../src/loop/call-ids.ts';
import type { ModelCallResult } from '../../src/loop/calls.ts';
import type { LoopState } from '../../src/loop/loop-state.ts';
import { activityMessageId, modelActivityId } from '../../src/loop/message-ids.ts';
import type { RunResult } from '../../src/loop/run-result.ts';
import type { Plan, PlannedAnswer, PlannedChild } from './plan.ts';
import { firstTemporalRunId } from './simulated-history.ts';

/** The model's answer; its calls get ids that no message has yet. */
export function answerOf(
  plan: Plan,
  state: LoopState,
  { text, calls, finishReason, usage, pause }: PlannedAnswer,
  messages: readonly TranscriptMessage[],
): ModelCallResult {
  const parts = [
    ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
    ...calls.map((toolCall) => ({ kind: 'tool_call' as const, toolCall })),
  ];
  const taken = new Set(messages.flatMap((message) => callsOf(message).map((call) => call.id)));
  const message = withUniqueCallIds({ ...identity(state), parts }, taken);
  return {
    ...(parts.length > 0 && { message }),
    finishReason,
    usage,
    ...(pause && { providerPause: true as const }),
    ...(plan.hooks.onModelEnd !== undefined && { changes: [plan.hooks.onModelEnd] }),
  };
}

/** What a call has said by the time that it is called off. */
export function partialOf(state: LoopState, { text }: PlannedAnswer): ModelCallResult {
  const parts = [{ kind: 'text' as const, text }];
  const message = { ...identity(state), parts, partial: true };
  return { ...(text !== '' && { message }), finishReason: 'other', cancelled: true };
}

function identity({ iteration, callsInIteration }: LoopState) {
  const activityId = modelActivityId(iteration, callsInIteration);
  return { id: activityMessageId(firstTemporalRunId, activityId, 1), role: 'assistant' as const };
}

/** A tool's result. */
export function toolResultOf(
  call: ToolCall,
  activityId: string,
  isError: boolean,
): IdentifiedMessage {
  const output = { content: [{ kind: 'text' as const, text: `result of ${call.id}` }] };
  const toolResult = { id: call.id, name: call.name, output, ...(isError && { isError }) };
  return {
    id: activityMessageId(firstTemporalRunId, activityId, 1),
    role: 'tool',
    parts: [{ kind: 'tool_result', toolResult }],
  };
}

/** What a sub-agent comes to that records a result. */
export function childResult(stopReason: RunResult['stopReason'], turn: number): RunResult {
  return {
    version: 1,
    output: turn % 3 === 0 ? '' : 'Done.',
    stopReason,
    ended: `It ended with ${stopReason}.`,
    usage: { inputTokens: 100 + turn, outputTokens: 10, unreported: 0 },
    iterations: 2,
    toolCalls: 1,
    undelivered: [],
  };
}

/** How the child Workflow of a sub-agent is closed. */
export function childClose(
  planned: PlannedChild,
  turn: number,
): {
  readonly how: 'completed' | 'failed' | 'cancelled' | 'terminated';
  readonly result?: unknown;
  readonly message?: string;
} {
  switch (planned) {
    case 'completed':
      return { how: 'completed', result: childResult('completed', turn) };
    case 'error':
      return { how: 'failed', result: childResult('error', turn), message: 'It failed.' };
    case 'failed':
      return { how: 'failed', message: 'the input is not valid' };
    case 'odd':
      return { how: 'completed', result: { no: 'result' } };
    case 'cancelled':
    case 'terminated':
      return { how: planned };
  }
}
