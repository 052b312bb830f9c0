/** The argument of a run that goes on from a point of another history: the point is named, not carried. */
import * as z from 'zod/mini';
import { Message } from '../chat/message.ts';
import { NonEmptyText } from '../chat/text.ts';
import { GivenLimits } from './budget-limits.ts';
import { ParentCall, UserInput } from './run-input.ts';

/** How a run goes on from a point: as another run, or in place of what it had done since. */
export const Departure = z.enum(['forked', 'rewound', 'retried']);
export type Departure = z.infer<typeof Departure>;

/** What a message becomes: another text, or another message of the same role. */
export const Edit = z.union([NonEmptyText, Message]);
export type Edit = z.infer<typeof Edit>;

/**
 * A point of a run: after an iteration, or after a message (its index from 0, or its id). `temporalRunId` is the
 * Temporal run that is looked at first; a point before its start lies in one of those that it goes on from.
 */
const Point = z
  .strictObject({
    runId: NonEmptyText,
    temporalRunId: NonEmptyText,
    iteration: z.optional(z.int().check(z.nonnegative())),
    message: z.optional(z.union([z.int().check(z.nonnegative()), NonEmptyText])),
  })
  .check(
    z.refine(({ iteration, message }) => (iteration === undefined) !== (message === undefined), {
      error: 'must name an iteration or a message',
    }),
  );

/** Where a run goes on from, and with what. */
export const FromPoint = z.strictObject({
  point: Point,
  /** The Temporal run that it follows; a fork's is the one that it was forked from. */
  previous: z.strictObject({ temporalRunId: NonEmptyText, how: Departure }),
  /** The message at the point becomes this. */
  edit: z.optional(Edit),
  /** What the user says next. */
  input: z.optional(UserInput),
  /** Another agent than the one of the point: forks only. */
  agent: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  title: z.optional(z.string()),
  /** Of a sub-agent: the call that it answers. */
  parent: z.optional(ParentCall),
  maxIterations: z.optional(z.int().check(z.positive())),
  /** Limits in place of those so far, one by one. */
  budget: z.optional(GivenLimits),
  /** The model is told which tools that are discarded have had an effect. */
  tellModel: z.optional(z.literal(true)),
});
export type FromPoint = z.infer<typeof FromPoint>;

/** The argument of `everloopAgentRun` for such a run. */
export const PointArgument = z.strictObject({ from: FromPoint });
export type PointArgument = z.infer<typeof PointArgument>;
