/** The messages of a run: names and payloads. A public contract: any Temporal client and the `temporal` CLI may use them; all but the Queries are Signals of the same name, too. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { UsageTotal } from '../chat/usage.ts';
import type { ExtendBudgetInput } from '../loop/budget-extension.ts';
import type { AnswerInput, DecideInput, PauseInput } from '../loop/control.ts';
import type { ForkReceipt, ForkRequest } from '../loop/fork-request.ts';
import type { SendInput } from '../loop/run-input.ts';
import type { MessagesPage, PendingView, StateView } from '../loop/views.ts';

/** Answer of `send`: the message's place among all that the run received, from 1. */
export interface SendReceipt {
  readonly position: number;
}

/** Gives the run a user message, at the next boundary or sooner. The same id gets the same answer and is appended once. */
export const send = defineUpdate<SendReceipt, [SendInput]>('send');
/** The same by Signal, for clients without Updates: no receipt, and what the run cannot take is counted as refused. */
export const sendSignal = defineSignal<[SendInput]>('send');
/** Decides on a call that waits for approval. The first decision counts. */
export const decide = defineUpdate<void, [DecideInput]>('decide');
/** Answers a call that waits for an answer. The first answer counts. */
export const answer = defineUpdate<void, [AnswerInput]>('answer');
/** Lets the run stand still at the next boundary. */
export const pause = defineUpdate<void, [PauseInput]>('pause');
/** Lets a paused run go on. */
export const resume = defineUpdate<void, [PauseInput]>('resume');
/** Adds to the limits of the run's budget. */
export const extendBudget = defineUpdate<void, [ExtendBudgetInput]>('extendBudget');

/** Makes runs that go on from a message of this one. Their ids are theirs at once; they begin as soon as this Workflow task is over. */
export const fork = defineUpdate<ForkReceipt, [ForkRequest]>('fork');
/** Where the run is. */
export const state = defineQuery<StateView>('state');
/** The transcript, by pages. */
export const messages = defineQuery<MessagesPage, [number?, number?]>('messages');
/** The tool calls that are on their way. */
export const pending = defineQuery<readonly PendingView[]>('pending');
/** Tokens used so far. */
export const usage = defineQuery<UsageTotal>('usage');
