/** Hooks: what is asked at the seven moments of a run. What a hook returns is all that it does, and stands in history. */
import type { Duration } from '@temporalio/common';
import type { FinishReason } from '../chat/finish-reason.ts';
import type { JsonObject, JsonValue } from '../chat/json.ts';
import type { Message } from '../chat/message.ts';
import type { Options } from '../chat/options.ts';
import type { ToolCall } from '../chat/tool-call.ts';
import type { ToolOutput } from '../chat/tool-output.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { Usage, UsageTotal } from '../chat/usage.ts';
import type { Action } from '../loop/hook-changes.ts';
import { HookMoment } from '../loop/hook-moment.ts';
import type { Stop } from '../loop/stop.ts';
import { toMilliseconds } from '../tools/duration.ts';

/** What every hook is told. */
export interface HookContext {
  readonly run: { readonly id: string; readonly agent: string; readonly iteration: number };
  readonly usage: UsageTotal;
  readonly metadata: Readonly<Record<string, JsonValue>>;
  /** Which attempt this is, from 1: a hook whose Worker was lost is asked again. */
  readonly attempt: number;
  /** Aborted at the hook's timeout, and when the run is cancelled or the Worker shuts down. */
  readonly signal: AbortSignal;
  /** The transcript, read when it is asked for. */
  messages(): Promise<readonly TranscriptMessage[]>;
}

interface AnyChanges {
  /** Merged key by key into the run's metadata; null deletes. */
  readonly metadata?: Readonly<Record<string, JsonValue>>;
  /** Durable events for watchers, as `<hook's name>.<type>`. */
  readonly events?: readonly { readonly type: string; readonly data: JsonValue }[];
}

interface StopChange {
  /** Stops the run: `aborted` unless `completed` is said. */
  readonly stop?: { readonly reason?: 'aborted' | 'completed'; readonly detail?: string };
}

/** At the start and between iterations. */
interface LoopChanges extends AnyChanges, StopChange {
  /** User messages to add. */
  readonly messages?: readonly Message[];
  /** Names of tools to offer from the next model call on, or no longer. */
  readonly tools?: { readonly show?: readonly string[]; readonly hide?: readonly string[] };
}

interface StartChanges extends LoopChanges {
  /** Added to the agent's instructions, for the whole run. */
  readonly instructions?: readonly string[];
}

interface ModelStartChanges extends AnyChanges, StopChange {
  /** What is sent instead of the transcript, this time. */
  readonly messages?: readonly Message[];
  /** Win over the agent's options, this time. */
  readonly options?: Options;
}

interface ModelEndChanges extends AnyChanges, StopChange {
  /** Recorded instead of the model's message. */
  readonly message?: Message;
}

interface ToolStartChanges extends AnyChanges {
  /** `proceed` when absent. The first skip or abort among the hooks ends the asking. */
  readonly action?: Action;
}

interface ToolEndChanges extends AnyChanges, StopChange {
  /** What the model sees instead of the call's result. */
  readonly result?: { readonly output: string | ToolOutput; readonly isError?: boolean };
}

/** What a hook may return, at once or later: changes, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function that returns nothing is a Promise of void
export type Changes<T> = T | undefined | void | Promise<T | undefined | void>;

/** A hook: any of the seven functions, and how it is asked. */
export interface Hook {
  /** Matches `[A-Za-z0-9_-]{1,64}`; no two hooks of an agent share one. */
  readonly name: string;
  /** Its failure is noted in `metadata['<name>.error']`, and the run goes on. */
  readonly observer?: boolean;
  /** Asked inside the Workflow task: fast (a second), no I/O beyond the host, safe to repeat. */
  readonly local?: boolean;
  /** Time for one answer; 30 seconds unless said otherwise. */
  readonly timeout?: Duration;
  /** Once per run, before the first iteration. */
  onStart?(context: HookContext): Changes<StartChanges>;
  /** Before every request to the model. */
  onModelStart?(
    context: HookContext & {
      readonly request: { readonly messages: readonly Message[]; readonly options: Options };
    },
  ): Changes<ModelStartChanges>;
  /** After every response. Its failure never causes a second call of the model. */
  onModelEnd?(
    context: HookContext & {
      readonly response: {
        readonly message?: Message;
        readonly finishReason: FinishReason;
        readonly usage?: Usage;
      };
    },
  ): Changes<ModelEndChanges>;
  /** Before a call is run; only calls whose input fits the tool are asked about. */
  onToolStart?(
    context: HookContext & { readonly call: ToolCall; readonly input: JsonObject },
  ): Changes<ToolStartChanges>;
  /** After a call, however it was answered. Its failure never runs the tool again. */
  onToolEnd?(
    context: HookContext & {
      readonly call: ToolCall;
      readonly result: { readonly output: ToolOutput; readonly isError: boolean };
    },
  ): Changes<ToolEndChanges>;
  /** After every iteration with tool calls or messages to come. */
  onLoop?(context: HookContext): Changes<LoopChanges>;
  /** At the end of the run, on every path; also again after a lost Worker. */
  onEnd?(context: HookContext & { readonly stop: Stop }): Changes<AnyChanges>;
}

const namePattern = /^[A-Za-z0-9_-]{1,64}$/; // a part of Activity ids and event types

/**
 * Defines a hook.
 * @throws TypeError when the name or the timeout cannot be used, or no moment is named
 */
export function defineHook(hook: Hook): Hook {
  if (!namePattern.test(hook.name)) {
    throw new TypeError(
      `hook name ${JSON.stringify(hook.name)} does not match ${namePattern.source}`,
    );
  }
  if (momentsOf(hook).length === 0) throw new TypeError(`hook ${hook.name} names no moment`);
  toMilliseconds(hook.timeout ?? defaultTimeout, `hook ${hook.name}: timeout`);
  return hook;
}

const defaultTimeout = '30 seconds';

/** Time for one answer of the hook, in milliseconds. */
export function hookTimeoutMs(hook: Hook): number {
  return toMilliseconds(hook.timeout ?? defaultTimeout, `hook ${hook.name}: timeout`);
}

/** The moments at which the hook is asked. */
export function momentsOf(hook: Hook): readonly HookMoment[] {
  return HookMoment.options.filter((moment) => hook[moment] !== undefined);
}
