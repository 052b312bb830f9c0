/** Tools: what an agent can do, defined once, with everything derived from that definition. */
import type { Duration, Logger } from '@temporalio/common';
import type { z } from 'zod';
import type { JsonObject, JsonValue } from '../chat/json.ts';
import type { LanguageModel } from '../chat/language-model.ts';
import type { ToolOutput } from '../chat/tool-output.ts';
import type { Effect, ToolSpec } from '../loop/agent-spec.ts';
import { problemsOf } from '../loop/problems-of.ts';
import { toolDefaults } from '../loop/tool-defaults.ts';
import { toMilliseconds } from './duration.ts';
import { toInputSchema } from './to-input-schema.ts';

/** What a running tool gets beside its input. */
export interface ToolContext {
  /** Aborted when the run is cancelled, the call times out or the Worker shuts down. */
  readonly signal: AbortSignal;
  /** The same for every attempt of this call, and for no other call. */
  readonly idempotencyKey: string;
  /** Which attempt this is, from 1. */
  readonly attempt: number;
  readonly run: { readonly id: string; readonly iteration: number; readonly callId: string };
  /** Tells watchers how far the call is. Live only: nothing is recorded. */
  progress(value: JsonValue): void;
  /** Tells watchers of something as the event `<name of the tool>.<type>`. Live only: nothing is recorded. */
  emit(type: string, data: JsonValue): void;
  /** The Worker's log; what is written there names run and call by itself. */
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  readonly blobs: ToolBlobs;
}

/** What a tool may do with the blob store of its Worker. */
interface ToolBlobs {
  /**
   * Keeps the bytes and answers with their hash, under which they are found again.
   * @param options.type MIME type
   * @throws EverloopError `blob_store_failed`
   */
  put(bytes: Uint8Array, options?: { readonly type?: string }): Promise<string>;
  /**
   * The bytes with this hash.
   * @throws EverloopError `blob_missing`, `blob_store_failed`
   */
  get(hash: string): Promise<Uint8Array>;
}

/** What `execute` may return: text, a JSON value, a complete output, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function that returns nothing is a Promise of void
export type ToolReturn = JsonValue | ToolOutput | undefined | void;

/** What a tool is defined with. */
export interface ToolOptions<Input extends z.ZodType> {
  /** Matches `[A-Za-z0-9_-]{1,64}`. */
  readonly name: string;
  readonly description: string;
  /** A zod object. Refinements are checked when the tool is called; transforms cannot be expressed and throw here. */
  readonly input: Input;
  /** `once` unless said otherwise: a lost attempt is never silently run again. */
  readonly effect?: Effect;
  /** Time for one attempt; one minute unless said otherwise. */
  readonly timeout?: Duration;
  /** Attempts after a lost Worker or a RetryableError, beside the first; ignored for `once`. */
  readonly retries?: number;
  /** UTF-8 bytes of result text that the model sees at once; 32 KB unless said otherwise. What is longer is kept whole, and read in parts. */
  readonly maxResultBytes?: number;
  /**
   * Run inside the Workflow task, without a round trip through the server. Only with the effect `none`, and for
   * what takes less than a second and needs nothing beyond the host; a call that takes longer is run again like
   * any other.
   */
  readonly local?: boolean;
  /** Which calls a person has to approve before they are run: none unless said otherwise. */
  readonly approve?: ApprovalPolicy<z.output<Input>>;
  execute(input: z.output<Input>, context: ToolContext): ToolReturn | Promise<ToolReturn>;
}

/** Decides by its input whether a call needs approval; asked once per call, on a Worker. One that throws counts as yes. */
type ApprovalPredicate<Input> = (input: Input) => boolean | Promise<boolean>;

/** Which calls of a tool need approval, how long it is waited for, and what counts then. */
export type ApprovalPolicy<Input> =
  | 'always'
  | 'never'
  | ApprovalPredicate<Input>
  | {
      readonly when: 'always' | ApprovalPredicate<Input>;
      /** For ever unless said otherwise. */
      readonly timeout?: Duration;
      /** `deny` unless said otherwise. */
      readonly onTimeout?: 'allow' | 'deny';
    };

/** What an external tool is defined with. */
export type ExternalToolOptions<Input extends z.ZodType> = Pick<
  ToolOptions<Input>,
  'name' | 'description' | 'input' | 'approve'
> & {
  /** How long an answer is waited for, then it counts as none; for ever unless said otherwise. */
  readonly timeout?: Duration;
};

/** Whether an input fits a tool; `problem` tells the model what to change. */
export type InputCheck =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly problem: string };

/** A defined tool. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly effect: Effect;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly maxResultBytes: number;
  readonly local?: true;
  readonly approve?: NonNullable<ToolSpec['approve']>;
  /** Calls are not run: somebody outside answers them. */
  readonly external?: NonNullable<ToolSpec['external']>;
  /** Calls are runs of their own: of the agent named, or of a double of the calling agent. */
  readonly subAgent?: {
    readonly context: 'fresh' | 'forked';
    readonly agent?: string;
    readonly model?: string | LanguageModel;
    readonly tools?: readonly Tool[];
  };
  /** Whether a call with that input needs approval; only of a tool that asks a predicate. */
  needsApproval?(input: JsonObject): Promise<boolean>;
  /**
   * Waits until the call may begin; what it answers with is called once the call is over. The time does not
   * count against `timeoutMs`, and a call that is cancelled meanwhile has not been run.
   *
   * Contract: rejects when `signal` aborts.
   */
  readonly admit?: (signal: AbortSignal) => Promise<() => void>;
  /** How long `admit` may take. */
  readonly maxWaitMs?: number;
  /** Checks `input` against the schema without running anything: what hooks and people are asked about is valid. */
  check(input: JsonObject): Promise<InputCheck>;
  /** Checks `input` against the schema and runs the tool. Rejects with InvalidToolInput, or with what `execute` throws. */
  run(input: JsonObject, context: ToolContext): Promise<ToolReturn>;
}

/** The model sent an input that does not fit the tool's schema; the message names each field. */
export class InvalidToolInput extends Error {
  override readonly name = 'InvalidToolInput';
}

/** Thrown by a tool: the call failed before it took effect and may be tried again after `retryAfterMs`. */
export class RetryableError extends Error {
  override readonly name = 'RetryableError';
  readonly retryAfterMs: number | undefined;
  constructor(message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }
}

const namePattern = /^[A-Za-z0-9_-]{1,64}$/; // what every provider accepts
const defaultRetries = 4;

/**
 * Defines a tool. The JSON Schema is derived here, in declaration order, so that it is the same text in every process.
 * @throws TypeError when the name, a number or the input schema cannot be used; the message names which
 */
export function defineTool<Input extends z.ZodType>(options: ToolOptions<Input>): Tool {
  const { name, effect = toolDefaults.effect } = options;
  if (!namePattern.test(name)) {
    throw new TypeError(`tool name ${JSON.stringify(name)} does not match ${namePattern.source}`);
  }
  const isLocal = options.local === true;
  if (isLocal && effect !== 'none') {
    throw new TypeError(`tool ${name}: only a tool with the effect none can be local`);
  }
  return {
    name,
    description: options.description,
    ...(isLocal && { local: true as const }),
    inputSchema: toInputSchema(name, options.input),
    effect,
    timeoutMs: toMilliseconds(options.timeout ?? toolDefaults.timeoutMs, `tool ${name}: timeout`),
    maxAttempts:
      effect === 'once' ? 1 : 1 + whole(options.retries ?? defaultRetries, 0, `${name}: retries`),
    maxResultBytes: whole(
      options.maxResultBytes ?? toolDefaults.maxResultBytes,
      1,
      `${name}: maxResultBytes`,
    ),
    ...approvalMembers(options),
    async check(input) {
      const parsed = await options.input.safeParseAsync(input);
      if (parsed.success) return { ok: true, input };
      return { ok: false, problem: `invalid arguments for ${name}: ${problemsOf(parsed.error)}` };
    },
    async run(input, context) {
      const parsed = await options.input.safeParseAsync(input);
      if (!parsed.success) throw new InvalidToolInput(problemsOf(parsed.error));
      return options.execute(parsed.data, context);
    },
  };
}

/**
 * Defines a tool whose calls are not run here: the run waits, and somebody outside answers with the result, by
 * `answer`. A person who is asked, a function of the caller's, a webhook.
 * @throws TypeError when the name, the timeout or the input schema cannot be used
 */
export function defineExternalTool<Input extends z.ZodType>({
  timeout,
  ...options
}: ExternalToolOptions<Input>): Tool {
  const tool = defineTool({
    ...options,
    effect: 'none',
    execute: () => Promise.reject(new Error(`${options.name} is answered from outside`)),
  });
  const what = `tool ${options.name}: timeout`;
  const external = timeout === undefined ? {} : { timeoutMs: toMilliseconds(timeout, what) };
  return { ...tool, external };
}

function approvalMembers<Input extends z.ZodType>({
  name,
  input: schema,
  approve = 'never',
}: Pick<ToolOptions<Input>, 'name' | 'input' | 'approve'>): Pick<
  Tool,
  'approve' | 'needsApproval'
> {
  if (approve === 'never') return {};
  const policy = typeof approve === 'object' ? approve : { when: approve };
  const { when, timeout, onTimeout } = policy;
  const what = `tool ${name}: approve.timeout`;
  const terms = {
    ...(timeout !== undefined && { timeoutMs: toMilliseconds(timeout, what) }),
    ...(onTimeout !== undefined && { onTimeout }),
  };
  if (when === 'always') return { approve: { when, ...terms } };
  return {
    approve: { when: 'predicate', ...terms },
    async needsApproval(input) {
      const parsed = await schema.safeParseAsync(input);
      return parsed.success ? await when(parsed.data) : true;
    },
  };
}

/** Zero attempts would mean to Temporal: for ever. */
function whole(value: number, least: number, what: string): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new TypeError(`tool ${what}: ${value} is no whole number from ${least}`);
}
