/** The model Activity: builds the request from the run's model context, streams the answer, returns it whole. */
import { activityInfo, Context, log } from '@temporalio/activity';
import type { AgentDefinition } from '../agents/define-agent.ts';
import type { LanguageModel } from '../chat/language-model.ts';
import type { Message } from '../chat/message.ts';
import { ModelError } from '../chat/model-error.ts';
import type { Request } from '../chat/request.ts';
import { toMessage } from '../chat/to-message.ts';
import { noUsage } from '../chat/usage-total.ts';
import type { AgentSpec } from '../loop/agent-spec.ts';
import type { Attempt, ModelCallResult } from '../loop/calls.ts';
import { ModelCallInput } from '../loop/calls.ts';
import { offered } from '../loop/tool-spec-of.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { EventBus } from '../storage/event-bus.ts';
import { ageResults } from './age-results.ts';
import type { Asking } from './ask-hook.ts';
import { callHere } from './call-here.ts';
import { summarizeConversation } from './compact.ts';
import { withHeartbeat } from './heartbeat.ts';
import { hooksOf } from './hooks-of.ts';
import { createKeeper } from './keeper.ts';
import type { LiveEvents } from './live-events.ts';
import { createLiveEvents } from './live-events.ts';
import type { LoadMedia } from './load-media.ts';
import { createLoadMedia } from './load-media.ts';
import type { ModelContext, ModelContexts } from './model-contexts.ts';
import { prepareRequest, reviewResponse } from './model-hooks.ts';
import type { ReadHistory } from './rebuild-context.ts';
import { messagesOf, rebuildContext } from './rebuild-context.ts';
import { streamAnswer } from './stream-answer.ts';
import { toModelFailure } from './to-model-failure.ts';
import { cancelledResult, toModelResult } from './to-model-result.ts';
import { unknownAgentHere } from './unknown-here.ts';

/** Of the Activity's time, what the answer's way takes. */
const reserveMs = 2_000;

/** What the model Activity needs of its Worker. */
export interface CallModelDependencies {
  readonly contexts: ModelContexts;
  readonly readHistory: ReadHistory;
  readonly blobs: BlobStore;
  readonly bus: EventBus;
  readonly heartbeatIntervalMs: number;
  /** @throws EverloopError `configuration` when the model cannot be used on this Worker */
  readonly modelNamed: (name: string, agent: string) => LanguageModel;
  readonly agents: ReadonlyMap<string, Pick<AgentDefinition, 'hooks' | 'retryIf'>>;
  /** Name of the agent's tool that reads results. */
  readonly readerOf: (agent: string) => string | undefined;
}

/** Makes the Activity `everloopCallModel`. */
export function createCallModel(dependencies: CallModelDependencies) {
  const loadMedia = createLoadMedia(dependencies.blobs);
  return (raw: ModelCallInput): Promise<ModelCallResult> =>
    withHeartbeat(dependencies.heartbeatIntervalMs, async (earlier) => {
      const input = ModelCallInput.parse(raw);
      const live = createLiveEvents(dependencies.bus, callHere());
      const { cancellationSignal, info } = Context.current();
      let agentName = '';
      try {
        const context = await contextOf(dependencies, input);
        agentName = context.agent.name;
        return await call({ ...dependencies, loadMedia }, context, input, live, earlier);
      } catch (error) {
        cancellationSignal.throwIfAborted(); // shutdown, time-out, pause: the next attempt does it
        const failure = toModelFailure(judged(dependencies, error, agentName), info.attempt);
        if (failure.nonRetryable !== true) {
          const { type, message } = failure;
          live.publish('model-retry', { error: { type: type ?? '', message } });
        }
        throw failure;
      }
    });
}

async function call(
  dependencies: CallModelDependencies & { readonly loadMedia: LoadMedia },
  context: ModelContext,
  input: ModelCallInput,
  live: LiveEvents,
  earlier: readonly Attempt[],
): Promise<ModelCallResult> {
  const started = Date.now();
  const { agent, callIds } = context;
  if (!dependencies.agents.has(agent.name)) throw unknownAgentHere(agent.name);
  const name = agent.models[input.model ?? 0] ?? '';
  const model = dependencies.modelNamed(name, agent.name);
  const offer = offered(agent, input.hidden ?? []);
  if (input.compact !== undefined) {
    return await summarizeConversation(context, {
      model,
      name,
      toRequest: (messages) => toRequest(offer, messages, false),
      loadMedia: dependencies.loadMedia,
      signal: Context.current().cancellationSignal,
      earlier,
      keep: input.compact.keep,
    });
  }
  const hooks = hooksOf(dependencies.agents, agent.name, input.view?.hooks ?? []);
  const asking = askingAbout(dependencies, input, agent.name);

  const sent = await withOldShortened(dependencies, agent, sentMessages(context), started);
  const { request, changes, stopped } = await prepareRequest(
    hooks,
    asking,
    toRequest(offer, sent, input.finish === true),
  );
  if (stopped) return { finishReason: 'other', changes: [...changes] };
  const { cancellationSignal } = Context.current();
  const messages = await dependencies.loadMedia(request.messages, cancellationSignal);
  const answer = await streamAnswer(model, { ...request, messages }, live);
  if ('cancelled' in answer) return cancelledResult(answer, { changes, earlier });
  const afterCall = { deadline: started + activityInfo().startToCloseTimeoutMs - reserveMs };
  const review = await reviewResponse(hooks, { ...asking, afterCall }, answer.response);
  return toModelResult(answer, review, { changes, earlier, callIds, model: name });
}

/** The agent's own word on whether the call is tried again, where it has one. */
function judged({ agents }: CallModelDependencies, error: unknown, agent: string): unknown {
  if (!(error instanceof ModelError)) return error;
  const retryable = retryableBy(agents.get(agent)?.retryIf, error);
  if (retryable === undefined || retryable === error.retryable) return error;
  return new ModelError(error.message, { ...error, retryable }, { cause: error });
}

/** A judgement that fails is none: it must not decide, and what it throws must not be recorded. */
function retryableBy(retryIf: AgentDefinition['retryIf'], error: ModelError): boolean | undefined {
  try {
    return retryIf?.(error);
  } catch (failure) {
    log.warn('retryIf failed; the kind of the error decides', { error: failure });
    return undefined;
  }
}

/** The cached context if it is the one the Workflow means, else the one that history tells. */
async function contextOf(
  { contexts, readHistory, blobs }: CallModelDependencies,
  { upTo, digest, compaction: summary }: ModelCallInput,
): Promise<ModelContext> {
  const where = callHere();
  const { runId, temporalRunId } = where;
  const cached = contexts.lookup(temporalRunId, upTo, digest);
  if (cached !== undefined && cached.compaction?.message.id === summary) return cached;
  const rebuilt = await rebuildContext({ readHistory, blobs }, where);
  const { agent, messages, seed, compaction } = rebuilt;
  const context = contexts.restore(temporalRunId, agent, messages, seed, compaction);
  if (context.messages.length !== upTo || context.digest !== digest) {
    throw new Error(`the history of ${runId} tells another transcript than its Workflow`);
  }
  return context;
}

function askingAbout(
  { readHistory, blobs }: CallModelDependencies,
  { view, iteration }: ModelCallInput,
  agent: string,
): Asking {
  return {
    agent,
    iteration,
    view: view ?? { usage: noUsage, metadata: {}, hooks: [] },
    messages: messagesOf({ readHistory, blobs }, callHere()),
  };
}

/** The messages as the model sees them. */
function sentMessages({ messages, compaction }: ModelContext): readonly Message[] {
  if (compaction === undefined) return messages;
  return [toMessage(compaction.message), ...messages.slice(compaction.from)];
}

/** Old results are shortened where the agent wants it, and has a tool that reads the rest. */
async function withOldShortened(
  { blobs, readerOf }: CallModelDependencies,
  { name, oldResultsAfter: after }: AgentSpec,
  messages: readonly Message[],
  startedAt: number,
): Promise<readonly Message[]> {
  const reader = readerOf(name);
  if (after === undefined || reader === undefined) return messages;
  const onFailure = (error: unknown) =>
    log.warn('an old result could not be put into the blob store', { error });
  const store = createKeeper(blobs, startedAt);
  return await ageResults(messages, { after, reader, store, onFailure });
}

/** The request that a context stands for: instructions first, then the transcript. */
function toRequest(
  { instructions, options, toolChoice, ...agent }: AgentSpec,
  messages: ModelContext['messages'],
  finish: boolean,
): Request {
  const tools = finish ? [] : agent.tools.map((tool) => tool.definition);
  // A tool that is hidden now cannot be chosen either.
  const choosable =
    toolChoice?.mode !== 'named' || tools.some((tool) => tool.name === toolChoice.name);
  return {
    messages: [
      ...(instructions === ''
        ? []
        : [{ role: 'system' as const, parts: [{ kind: 'text' as const, text: instructions }] }]),
      ...messages,
    ],
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && toolChoice !== undefined && choosable && { toolChoice }),
    options,
  };
}
