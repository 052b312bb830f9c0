/** The Activity that asks all hooks of one moment, in the order of their registration. */
import { Context, log } from '@temporalio/activity';
import * as z from 'zod/mini';
import type { AgentDefinition } from '../agents/define-agent.ts';
import type { Hook } from '../agents/define-hook.ts';
import type { JsonObject } from '../chat/json.ts';
import { Message } from '../chat/message.ts';
import type { ToolCall } from '../chat/tool-call.ts';
import { toolInput } from '../chat/tool-input.ts';
import type { IdentifiedMessage } from '../chat/transcript-message.ts';
import type { Action, HookChanges, HookResult } from '../loop/hook-changes.ts';
import { HookInput, Action as ToolAction } from '../loop/hook-changes.ts';
import { hookActivityId } from '../loop/message-ids.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { InputCheck, Tool } from '../tools/define-tool.ts';
import type { Asking } from './ask-hook.ts';
import { anyChanges, askHook, HookFailed, observed, stopChange, toChanges } from './ask-hook.ts';
import { callHere } from './call-here.ts';
import { withHeartbeat } from './heartbeat.ts';
import { hooksOf } from './hooks-of.ts';
import type { ReadHistory } from './rebuild-context.ts';
import { messagesOf } from './rebuild-context.ts';
import { toHookFailure } from './to-hook-failure.ts';
import { rewriteResult } from './tool-hooks.ts';

/** What asking hooks needs of its Worker. */
export interface RunHookDependencies {
  readonly blobs: BlobStore;
  readonly readHistory: ReadHistory;
  readonly heartbeatIntervalMs: number;
  readonly agents: ReadonlyMap<string, Pick<AgentDefinition, 'hooks'>>;
  readonly toolNamed: (agent: string, name: string) => Tool | undefined;
}

/** Makes the Activity `everloopRunHook`. */
export function createRunHook(dependencies: RunHookDependencies) {
  return async (raw: HookInput): Promise<HookResult> => {
    const input = HookInput.parse(raw);
    const { isLocal } = Context.current().info;
    const ask = () => asked(dependencies, input);
    // A local Activity beats for nobody; history keeps its answer alone.
    if (isLocal) return { ...(await ask()), advance: advanceIn(input) };
    return await withHeartbeat(dependencies.heartbeatIntervalMs, ask);
  };
}

function advanceIn({ iteration, upTo, append, received, digest }: HookInput) {
  return { iteration, upTo, append, ...(received !== undefined && { received }), digest };
}

async function asked(dependencies: RunHookDependencies, input: HookInput): Promise<HookResult> {
  const { moment, agent, iteration, view } = input;
  const hooks = hooksOf(dependencies.agents, agent, view.hooks);
  const asking = { agent, iteration, view, messages: messagesFor(dependencies) };
  try {
    return bounded(await answers());
  } catch (error) {
    throw error instanceof HookFailed ? toHookFailure(error) : error;
  }

  async function answers(): Promise<HookResult> {
    switch (moment) {
      case 'onStart':
      case 'onLoop':
        return { moment, changes: await askInLoop(hooks, moment, asking) };
      case 'onToolStart':
        return { moment, ...(await askBeforeCalls(dependencies, hooks, asking, input)) };
      case 'onToolEnd':
        return { moment, ...(await askAfterCalls(hooks, asking, input)) };
      case 'onEnd':
        return { moment, changes: await askAtEnd(hooks, asking, input) };
      default:
        throw new Error(`${moment} is asked inside its call`);
    }
  }
}

/** Bytes of all answers together: what is skipped or rewritten is written once more, into the next input. */
const maxResultBytes = 512 * 1024;

function bounded(result: HookResult): HookResult {
  if (Buffer.byteLength(JSON.stringify(result)) <= maxResultBytes) return result;
  const hook = result.changes.at(-1)?.hook ?? '';
  const why = new RangeError(`the answers are more than ${maxResultBytes} bytes together`);
  throw new HookFailed(hook, result.moment, why);
}

const userMessages = z.optional(
  z.array(Message).check(
    z.refine((messages) => messages.every(({ role }) => role === 'user'), {
      error: 'must have the role user',
    }),
  ),
);
const toolNames = z.optional(z.array(z.string()));
const LoopAnswer = z.strictObject({
  ...anyChanges,
  ...stopChange,
  messages: userMessages,
  tools: z.optional(z.strictObject({ show: toolNames, hide: toolNames })),
});
const StartAnswer = z.extend(LoopAnswer, { instructions: z.optional(z.array(z.string())) });
const ToolStartAnswer = z.strictObject({ ...anyChanges, action: z.optional(ToolAction) });
const EndAnswer = z.strictObject(anyChanges);

/** The first wish to stop ends the asking. */
async function askInLoop(
  hooks: readonly Hook[],
  moment: 'onStart' | 'onLoop',
  asking: Asking,
): Promise<HookChanges[]> {
  const all: HookChanges[] = [];
  let messages = 0;
  const activityId = hookActivityId(asking.iteration, moment);
  for (const hook of hooks) {
    const ask = moment === 'onStart' ? hook.onStart : hook.onLoop;
    const schema = moment === 'onStart' ? StartAnswer : z.extend(LoopAnswer, {});
    const changes = await askHook(
      hook,
      moment,
      (context) => ask?.call(hook, context),
      schema,
      asking,
    )
      .then((answer) => {
        const identified = answer?.messages?.map((message) =>
          toIdentified(message, messages++, activityId),
        );
        const { messages: _, ...changes } = answer ?? {};
        return toChanges(hook, {
          ...changes,
          ...(identified !== undefined && { messages: identified }),
        });
      })
      .catch((error: unknown) => observed(hook, error));
    if (changes === undefined) continue;
    all.push(changes);
    if (changes.stop !== undefined) break;
  }
  return all;
}

function toIdentified(message: Message, index: number, activityId: string): IdentifiedMessage {
  return { ...message, id: `${callHere(activityId).messageId}/${index}` };
}

/** Each call's hooks in order; the first skip or abort ends the asking about it, an abort that about all. */
async function askBeforeCalls(
  { toolNamed }: RunHookDependencies,
  hooks: readonly Hook[],
  asking: Asking,
  { calls = [] }: HookInput,
): Promise<Pick<HookResult, 'changes' | 'actions' | 'invalid'>> {
  const changes: HookChanges[] = [];
  const actions: { callId: string; action: Action }[] = [];
  const invalid: { callId: string; problem: string }[] = [];
  for (const call of calls) {
    const tool = toolNamed(asking.agent, call.name);
    const input = await inputOf(tool, call);
    if (!input.ok) {
      invalid.push({ callId: call.id, problem: input.problem });
      continue;
    }
    const wanted = await actionFor(hooks, asking, call, input.input, changes);
    const action = wanted ?? (await actionOfTool(tool, input.input));
    if (action !== undefined) actions.push({ callId: call.id, action });
    if (action?.kind === 'abort') break;
  }
  return {
    changes,
    ...(actions.length > 0 && { actions }),
    ...(invalid.length > 0 && { invalid }),
  };
}

/** What the tool itself says of the call: a rule that fails is on the safe side. */
async function actionOfTool(
  tool: Tool | undefined,
  input: JsonObject,
): Promise<Action | undefined> {
  const needed = await tool?.needsApproval?.(input).catch((error: unknown) => {
    log.warn('a rule for approval failed; a person is asked', { tool: tool.name, error });
    return true;
  });
  return needed === true ? { kind: 'ask' } : undefined;
}

async function inputOf(tool: Tool | undefined, call: ToolCall): Promise<InputCheck> {
  const parsed = toolInput(call);
  if (!parsed.ok) {
    return { ok: false, problem: `invalid arguments for ${call.name}: ${parsed.problem}` };
  }
  const unchecked: InputCheck = { ok: true, input: parsed.input };
  // A check that throws is the call's to answer: running the tool throws the same.
  return (await tool?.check(parsed.input).catch(() => unchecked)) ?? unchecked;
}

async function actionFor(
  hooks: readonly Hook[],
  asking: Asking,
  call: ToolCall,
  input: Parameters<NonNullable<Hook['onToolStart']>>[0]['input'],
  changes: HookChanges[],
): Promise<Action | undefined> {
  let ask: Action | undefined;
  for (const hook of hooks) {
    let action: Action | undefined;
    try {
      const answer = await askHook(
        hook,
        'onToolStart',
        (context) => hook.onToolStart?.({ ...context, call, input }),
        ToolStartAnswer,
        asking,
      );
      const changed = toChanges(hook, answer);
      if (changed !== undefined) changes.push(changed);
      action = answer?.action;
    } catch (error) {
      changes.push(observed(hook, error));
    }
    // A person is asked only about what no hook has settled.
    if (action?.kind === 'ask') ask ??= action;
    else if (action !== undefined && action.kind !== 'proceed') return action;
  }
  return ask;
}

/** Calls that were answered without being run: the hooks see and may rewrite them like any other. */
async function askAfterCalls(
  hooks: readonly Hook[],
  asking: Asking,
  { calls = [], results = [] }: HookInput,
): Promise<Pick<HookResult, 'changes' | 'results'>> {
  const changes: HookChanges[] = [];
  const rewritten: { callId: string; message: IdentifiedMessage }[] = [];
  for (const [index, call] of calls.entries()) {
    const message = results[index];
    if (message === undefined) continue;
    const ended = await rewriteResult(hooks, asking, call, message);
    if (ended.hookError !== undefined)
      throw new HookFailed(ended.hookError.hook, 'onToolEnd', new Error(ended.hookError.message));
    changes.push(...ended.changes);
    if (ended.message !== message) rewritten.push({ callId: call.id, message: ended.message });
  }
  return { changes, ...(rewritten.length > 0 && { results: rewritten }) };
}

/** One that fails stops neither the next nor the end. */
async function askAtEnd(
  hooks: readonly Hook[],
  asking: Asking,
  { stopped }: HookInput,
): Promise<HookChanges[]> {
  const all: HookChanges[] = [];
  for (const hook of hooks) {
    if (stopped === undefined) break;
    const { stop } = stopped;
    try {
      const ask = (context: Parameters<NonNullable<Hook['onLoop']>>[0]) =>
        hook.onEnd?.({ ...context, stop });
      const changes = toChanges(hook, await askHook(hook, 'onEnd', ask, EndAnswer, asking));
      if (changes !== undefined) all.push(changes);
    } catch (error) {
      if (!(error instanceof HookFailed)) throw error;
      all.push({ hook: hook.name, error: error.message });
    }
  }
  return all;
}

/** A local Activity is not in history while it runs, so that nothing can be read as of it. */
function messagesFor(dependencies: RunHookDependencies): Asking['messages'] {
  const { activityId, workflowExecution, isLocal } = Context.current().info;
  if (isLocal || workflowExecution === undefined) {
    return () => Promise.reject(new Error('a local hook cannot read messages'));
  }
  const { workflowId: runId, runId: temporalRunId } = workflowExecution;
  return messagesOf(dependencies, { runId, temporalRunId, activityId });
}
