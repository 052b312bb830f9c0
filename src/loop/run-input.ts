/** What a run is started with: the argument of the Workflow, written by any Temporal client. */
import * as z from 'zod/mini';
import { JsonValue } from '../chat/json.ts';
import { Message } from '../chat/message.ts';
import { Options } from '../chat/options.ts';
import { NonEmptyText } from '../chat/text.ts';
import { GivenLimits } from './budget-limits.ts';
import type { PointArgument } from './from-point.ts';
import type { LoopState } from './loop-state.ts';
import { maxMetadataBytes } from './metadata-limit.ts';
import { utf8Length } from './utf8-length.ts';

/** What the user says: plain text, or a complete user message. */
export const UserInput = z.union([NonEmptyText, Message]).check(
  z.refine((input) => typeof input === 'string' || input.role === 'user', {
    error: 'must have the role user',
  }),
);
export type UserInput = z.infer<typeof UserInput>;

/** Messages that a run may be started with; a check of more would itself be too much for a Workflow task. */
const maxHistory = 10_000;

const fewEnough = z.custom<unknown[]>().check(
  z.check<unknown[]>(({ value, issues }) => {
    if (Array.isArray(value) && value.length <= maxHistory) return;
    const message = `must be a list of ${maxHistory} messages at most`;
    issues.push({ code: 'custom', input: value, message, path: [] });
  }),
);

/** Messages of an earlier conversation; calls without a result and results without a call are put right. */
const History = z.pipe(fewEnough, z.array(Message));

/** The call that a sub-agent answers. Only Everloop itself writes it. */
export const ParentCall = z.strictObject({
  runId: z.string(),
  callId: z.string(),
  /** How many runs stand above it. */
  depth: z.int().check(z.positive()),
  /** Run id at the top of the tree. */
  root: z.string(),
});

/** A new run. `history` comes before `input`; system messages in it are dropped. */
export const StartInput = z.strictObject({
  /** Temporal takes search attributes of limited length. */
  agent: z.string().check(z.minLength(1), z.maxLength(200)),
  input: UserInput,
  history: z.optional(History),
  options: z.optional(Options),
  maxIterations: z.optional(z.int().check(z.positive())),
  /** Limits in place of the agent's own, one by one. */
  budget: z.optional(GivenLimits),
  title: z.optional(z.string()),
  /** Of a sub-agent: the call that it answers. */
  parent: z.optional(ParentCall),
  metadata: z.optional(
    z.record(z.string(), JsonValue).check(
      z.refine((metadata) => utf8Length(JSON.stringify(metadata)) <= maxMetadataBytes, {
        error: `must be ${maxMetadataBytes} bytes at most`,
      }),
    ),
  ),
});
export type StartInput = z.infer<typeof StartInput>;

/** The argument of a run that is started anew. */
export const StartArgument = z.strictObject({ start: StartInput });
export type StartArgument = z.infer<typeof StartArgument>;

/** A run that goes on from a state, and the Temporal run that it follows. */
export interface StateArgument {
  readonly from: {
    readonly state: LoopState;
    readonly previous: { readonly temporalRunId: string; readonly how: 'continued' };
  };
}

/** The argument of `everloopAgentRun`: a new run, one that goes on from a state, or from a point of another history. Only Everloop itself writes the second kind. */
export type AgentRunInput = StartArgument | StateArgument | PointArgument;

/**
 * How soon a message is read. `queue`: at the next boundary. `steer`: a model call in flight is cut off, its
 * text so far kept, and the message follows; while tools run it is `queue`. `interrupt`: running tools are
 * called off as well.
 */
export type SendMode = 'queue' | 'steer' | 'interrupt';

/** The argument of the Update and of the Signal `send`. Without an id the Update's own id is taken. */
export interface SendInput {
  readonly id?: string;
  readonly message: UserInput;
  readonly mode?: SendMode;
}
