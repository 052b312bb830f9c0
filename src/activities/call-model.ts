/** The model Activity: builds the request from the run's model context, streams the answer, returns it whole. */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Accumulator } from '../chat/accumulator.ts';
import { createAccumulator } from '../chat/accumulator.ts';
import { callsOf } from '../chat/calls-of.ts';
import { isChatError } from '../chat/chat-error.ts';
import type { LanguageModel } from '../chat/language-model.ts';
import { ModelError } from '../chat/model-error.ts';
import type { ReportEntry } from '../chat/report.ts';
import type { Request } from '../chat/request.ts';
import type { Response } from '../chat/response.ts';
import type { IdentifiedMessage } from '../chat/transcript-message.ts';
import type { AgentSpec } from '../loop/agent-spec.ts';
import { withUniqueCallIds } from '../loop/call-ids.ts';
import type { Attempt, ModelCallResult } from '../loop/calls.ts';
import { ModelCallInput } from '../loop/calls.ts';
import { failureType } from '../loop/failure-types.ts';
import { activityMessageId } from '../loop/message-ids.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { EventBus } from '../storage/event-bus.ts';
import { isRunCancelled, withHeartbeat } from './heartbeat.ts';
import { isRecordable } from './is-recordable.ts';
import type { LiveEvents } from './live-events.ts';
import { createLiveEvents } from './live-events.ts';
import { createLoadMedia } from './load-media.ts';
import type { ModelContext, ModelContexts } from './model-contexts.ts';
import { partialMessage } from './partial-message.ts';
import type { ReadHistory } from './rebuild-context.ts';
import { rebuildContext } from './rebuild-context.ts';
import { toModelFailure } from './to-model-failure.ts';

/** Metadata by which an adapter marks an answer that its provider has only paused. */
const pauseMark = 'everloop/pause';

/** More calls than this are no answer but a fault; each of them would need a result in history. */
const maxRecordedCalls = 1_000;

/** What the model Activity needs of its Worker. */
export interface CallModelDependencies {
  readonly contexts: ModelContexts;
  readonly readHistory: ReadHistory;
  readonly blobs: BlobStore;
  readonly bus: EventBus;
  readonly heartbeatIntervalMs: number;
  /** @throws EverloopError `configuration` when the model cannot be used on this Worker */
  readonly modelNamed: (name: string) => LanguageModel;
}

/** Makes the Activity `everloopCallModel`. */
export function createCallModel(dependencies: CallModelDependencies) {
  const loadMedia = createLoadMedia(dependencies.blobs);
  return (raw: ModelCallInput): Promise<ModelCallResult> =>
    withHeartbeat(dependencies.heartbeatIntervalMs, async (earlier) => {
      const input = ModelCallInput.parse(raw);
      const live = createLiveEvents(dependencies.bus);
      const { cancellationSignal, info } = Context.current();
      try {
        const context = await contextOf(dependencies, input);
        const name = context.agent.models[input.model ?? 0] ?? '';
        const model = dependencies.modelNamed(name);
        const messages = await loadMedia(context.messages, cancellationSignal);
        return await ask(live, model, { ...context, messages }, { ...input, name }, earlier);
      } catch (error) {
        cancellationSignal.throwIfAborted(); // shutdown, time-out, pause: the next attempt does it
        const failure = toModelFailure(error, info.attempt);
        const { type, message, nonRetryable } = failure;
        if (nonRetryable !== true)
          live.publish('model-retry', { error: { type: type ?? '', message } });
        throw failure;
      }
    });
}

/** The cached context if it is the one the Workflow means, else the one that history tells. */
async function contextOf(
  { contexts, readHistory, blobs }: CallModelDependencies,
  { upTo, digest }: ModelCallInput,
): Promise<ModelContext> {
  const { activityId, workflowExecution } = Context.current().info;
  if (workflowExecution === undefined) throw new Error('everloopCallModel runs in a Workflow only');
  const { workflowId: runId, runId: temporalRunId } = workflowExecution;
  const cached = contexts.lookup(temporalRunId, upTo, digest);
  if (cached !== undefined) return cached;
  const where = { runId, temporalRunId, activityId };
  const rebuilt = await rebuildContext({ readHistory, blobs }, where);
  const context = contexts.restore(temporalRunId, rebuilt.agent, rebuilt.messages);
  if (context.messages.length !== upTo || context.digest !== digest) {
    throw new Error(`the history of ${runId} tells another transcript than its Workflow`);
  }
  return context;
}

async function ask(
  live: LiveEvents,
  model: LanguageModel,
  context: Pick<ModelContext, 'agent' | 'messages' | 'callIds'>,
  input: ModelCallInput & { readonly name: string },
  earlier: readonly Attempt[],
): Promise<ModelCallResult> {
  const { cancellationSignal: signal } = Context.current();
  const accumulator = createAccumulator();
  const report: ReportEntry[] = [];
  const request = toRequest(context, input.finish === true);
  let outputStarted = false;
  try {
    for await (const delta of model.stream(request, {
      signal,
      report: (entry) => report.push(entry),
    })) {
      accumulator.add(delta);
      if (delta.parts === undefined) continue;
      outputStarted = true;
      live.publishParts(delta.parts);
    }
  } catch (error) {
    if (!isRunCancelled()) throw asModelError(error, outputStarted);
    return cancelledResult(accumulator);
  }
  const response = responseOf(accumulator);
  const result = toResult(response, context.callIds, input.name, earlier, report);
  const calls = callsOf(result.message).length;
  if (calls > maxRecordedCalls) throw tooLarge(`The answer makes ${calls} tool calls.`);
  if (isRecordable(result)) return result;
  throw tooLarge('The answer is too large to be recorded. Limit it with maxOutputTokens.');
}

function tooLarge(message: string): ApplicationFailure {
  return ApplicationFailure.create({ type: failureType.tooLarge, message, nonRetryable: true });
}

function responseOf(accumulator: Accumulator): Response {
  try {
    return accumulator.response();
  } catch (error) {
    throw asModelError(error, true);
  }
}

/** A stream that breaks the protocol is the provider's failure, not the request's. */
function asModelError(error: unknown, outputStarted: boolean): unknown {
  if (!isChatError(error, 'invalid_response')) return error;
  const message = `the provider's stream is invalid: ${error.message}`;
  return new ModelError(message, { kind: 'invalid_response', outputStarted }, { cause: error });
}

/** What a cancelled call has come to: the text so far, and the tokens if the provider told them. */
function cancelledResult(accumulator: Accumulator): ModelCallResult {
  const partial = partialMessage(accumulator.message());
  const usage = accumulator.metadata()?.usage;
  const message = partial && identified({ ...partial, partial: true });
  return {
    ...(message !== undefined && isRecordable(message) && { message }),
    finishReason: 'other',
    ...(usage !== undefined && { usage }),
    cancelled: true,
  };
}

/** The request that a context stands for: instructions first, then the transcript. */
function toRequest(
  { agent, messages }: Pick<ModelContext, 'agent' | 'messages'>,
  finish: boolean,
): Request {
  const tools = finish ? [] : agent.tools.map((tool) => tool.definition);
  return {
    messages: [...systemMessages(agent), ...messages],
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && agent.toolChoice !== undefined && { toolChoice: agent.toolChoice }),
    options: agent.options,
  };
}

function systemMessages({ instructions }: AgentSpec): Request['messages'] {
  if (instructions === '') return [];
  return [{ role: 'system', parts: [{ kind: 'text', text: instructions }] }];
}

function toResult(
  response: Response,
  callIds: ReadonlySet<string>,
  name: string,
  earlier: readonly Attempt[],
  report: ReportEntry[],
): ModelCallResult {
  const { message, finishReason, metadata } = response.output;
  const { usage, model } = response.metadata ?? {};
  return {
    ...(message !== undefined && {
      message: identified(withUniqueCallIds(message, callIds)),
    }),
    finishReason,
    ...(usage !== undefined && { usage }),
    // History need not repeat what the agent says already.
    ...(model !== undefined && !name.endsWith(model) && { model }),
    ...(earlier.length > 0 && { attempts: [...earlier] }),
    ...(metadata?.extra?.[pauseMark] === true && { providerPause: true }),
    ...(report.length > 0 && { report }),
  };
}

function identified(message: Omit<IdentifiedMessage, 'id'>): IdentifiedMessage {
  const { activityId, attempt, workflowExecution } = Context.current().info;
  const id = activityMessageId(workflowExecution?.runId ?? '', activityId, attempt);
  return { ...message, id };
}
