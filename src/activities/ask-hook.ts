/** Asks one hook one question, within its time, and turns its answer into changes that can be recorded. */
import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import * as z from 'zod/mini';
import type { Changes, Hook, HookContext } from '../agents/define-hook.ts';
import { hookTimeoutMs } from '../agents/define-hook.ts';
import { JsonValue } from '../chat/json.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { HookChanges, HookError, HookView } from '../loop/hook-changes.ts';
import type { HookMoment } from '../loop/hook-moment.ts';
import { problemsOf } from '../loop/problems-of.ts';
import { stopGraceMs } from '../loop/stop-grace.ts';
import { RetryableError } from '../tools/define-tool.ts';
import { bounded } from './bounded.ts';
import { messageOf, shortText } from './error-text.ts';
import { isRunCancelled } from './heartbeat.ts';

/** A hook that failed; `retryAfterMs` is there when it asked to be tried again. */
export class HookFailed extends Error {
  override readonly name = 'HookFailed';
  readonly hook: string;
  readonly moment: HookMoment;
  readonly retry: { readonly afterMs: number | undefined } | undefined;

  constructor(hook: string, moment: HookMoment, cause: unknown) {
    super(shortText(messageOf(cause)), { cause });
    this.hook = hook;
    this.moment = moment;
    this.retry = cause instanceof RetryableError ? { afterMs: cause.retryAfterMs } : undefined;
  }
}

/** Until when a hook after a call may think: the Activity must have time left to record the call itself. */
export interface AfterCall {
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

/** Who asks, and about which run. */
export interface Asking {
  readonly agent: string;
  readonly iteration: number;
  readonly view: HookView;
  readonly messages: () => Promise<readonly TranscriptMessage[]>;
  /** The call is over: nothing that happens to the hook may lose what the call came to. */
  readonly afterCall?: AfterCall;
}

/** The members of every answer. */
export const anyChanges = {
  metadata: z.optional(z.record(z.string(), JsonValue)),
  events: z.optional(
    z.array(z.strictObject({ type: z.string().check(z.minLength(1)), data: JsonValue })),
  ),
};

/** The member of answers that may stop the run. */
export const stopChange = {
  stop: z.optional(
    z.strictObject({
      reason: z._default(z.enum(['aborted', 'completed']), 'aborted'),
      detail: z.optional(z.string()),
    }),
  ),
};

/** Bytes of one answer: what all hooks of a moment change must fit into one result. */
const maxAnswerBytes = 256 * 1024;

/**
 * What the hook answered, checked; undefined when it answered nothing.
 * @throws HookFailed when it threw, hung, or returned what is no answer; the reason of the Activity's signal when that ended it
 */
export async function askHook<Answer>(
  hook: Hook,
  moment: HookMoment,
  ask: (context: HookContext) => Changes<unknown>,
  schema: z.ZodMiniType<Answer>,
  { agent, iteration, view, messages, afterCall }: Asking,
): Promise<Answer | undefined> {
  const { info, cancellationSignal } = Context.current();
  const stop = afterCall === undefined ? cancellationSignal : whenRunIsCancelled();
  const run = { id: info.workflowExecution?.workflowId ?? '', agent, iteration };
  const { attempt } = info;
  try {
    const answer = await bounded(
      async (signal) => await ask({ run, ...view, attempt, signal, messages }),
      { timeoutMs: timeFor(hook, afterCall), stop, graceMs: stopGraceMs },
    );
    return answer === undefined || answer === null ? undefined : checked(answer, schema);
  } catch (error) {
    if (afterCall === undefined) stop.throwIfAborted();
    throw new HookFailed(hook.name, moment, error);
  }
}

/** A Worker that shuts down waits for what follows a call; a run that is cancelled does not. */
function whenRunIsCancelled(): AbortSignal {
  // The signal's listeners run outside of the Activity, where there is no current one.
  const context = Context.current();
  const { cancellationSignal } = context;
  const controller = new AbortController();
  const onAbort = () => {
    if (context.cancellationDetails?.cancelRequested === true)
      controller.abort(cancellationSignal.reason);
  };
  if (cancellationSignal.aborted) onAbort();
  else cancellationSignal.addEventListener('abort', onAbort, { once: true });
  return controller.signal;
}

function timeFor(hook: Hook, afterCall: AfterCall | undefined): number {
  const own = hookTimeoutMs(hook);
  return afterCall === undefined
    ? own
    : Math.max(1, Math.min(own, afterCall.deadline - Date.now()));
}

/** Tries of a hook that asks to be tried again, and the longest it is waited for in between. */
const attempts = 3;
const longestWaitMs = 10_000;

/** Tries in place what asks for it: another attempt of the Activity would make the call again. */
export async function askAgain<T>(ask: () => Promise<T>, afterCall?: AfterCall): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof HookFailed) || error.retry === undefined) throw error;
      const waitMs = Math.min(error.retry.afterMs ?? 1_000, longestWaitMs);
      const isLate = afterCall !== undefined && Date.now() + waitMs >= afterCall.deadline;
      if (attempt >= attempts || isLate || isRunCancelled()) throw error;
      await delay(waitMs);
    }
  }
}

function checked<Answer>(answer: unknown, schema: z.ZodMiniType<Answer>): Answer {
  const parsed = schema.safeParse(answer);
  if (!parsed.success) {
    throw new TypeError(`it returned no changes: ${problemsOf(parsed.error, 'answer')}`);
  }
  if (Buffer.byteLength(JSON.stringify(parsed.data)) > maxAnswerBytes) {
    throw new RangeError(`it returned more than ${maxAnswerBytes} bytes`);
  }
  return parsed.data;
}

/** The changes that every kind of answer has, as they are recorded; undefined when there are none. */
export function toChanges(
  hook: Hook,
  answer:
    | Partial<
        Pick<HookChanges, 'messages' | 'instructions' | 'tools' | 'metadata' | 'events' | 'stop'>
      >
    | undefined,
): HookChanges | undefined {
  const { messages, instructions, tools, metadata, events, stop } = answer ?? {};
  const changes = {
    ...(messages !== undefined && { messages }),
    ...(instructions !== undefined && { instructions }),
    ...(tools !== undefined && { tools }),
    ...(metadata !== undefined && { metadata }),
    ...(events !== undefined && { events }),
    ...(stop !== undefined && { stop }),
  };
  return Object.keys(changes).length === 0 ? undefined : { hook: hook.name, ...changes };
}

/** What an observer's failure leaves behind; anything else is thrown on. */
export function observed(hook: Hook, error: unknown): HookChanges {
  if (hook.observer !== true || !(error instanceof HookFailed)) throw error;
  return { hook: hook.name, error: error.message };
}

/** Bytes of all that the hooks of one call change: it is recorded beside the call's own result. */
const maxChangesBytes = 256 * 1024;

/** The error for changes that are too many to be recorded together; undefined when they are not. */
export function tooManyChanges(
  moment: HookMoment,
  changes: readonly HookChanges[],
): HookError | undefined {
  if (Buffer.byteLength(JSON.stringify(changes)) <= maxChangesBytes) return undefined;
  const hook = changes.at(-1)?.hook ?? '';
  const message = `its changes and those before it are more than ${maxChangesBytes} bytes together`;
  return { hook, moment, message };
}
