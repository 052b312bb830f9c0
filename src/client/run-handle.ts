/** A run seen from outside: look at it, follow it, send it messages, cancel it. */
import type { Client } from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { EverloopError } from '../everloop-error.ts';
import type { ExtendBudgetInput } from '../loop/budget-extension.ts';
import type { AnswerInput, DecideInput, PauseInput } from '../loop/control.ts';
import type { RunEvent } from '../loop/events.ts';
import type { ForkRequest } from '../loop/fork-request.ts';
import { markInherited } from '../loop/mark-inherited.ts';
import type { SendMode, UserInput } from '../loop/run-input.ts';
import type { RunResult } from '../loop/run-result.ts';
import type { RecordedRun } from '../replay/recorded-run.ts';
import type { ReplayOptions, ReplayVerdict } from '../replay/replay.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { SendReceipt } from '../workflows/messages.ts';
import { answer, decide, extendBudget, pause, resume, send } from '../workflows/messages.ts';
import { assertFits } from './assert-fits.ts';
import { assertSendable } from './assert-sendable.ts';
import { awaitResult } from './await-result.ts';
import { translated } from './client-errors.ts';
import type { DiscardedPart } from './discarded-parts.ts';
import { discardedParts } from './discarded-parts.ts';
import { forkRun } from './fork-run.ts';
import type { RunSummary } from './list-runs.ts';
import { listRuns } from './list-runs.ts';
import type { EventsOptions } from './read-events.ts';
import { readEvents } from './read-events.ts';
import { readRecordedRun } from './recorded-run.ts';
import type { RetryOptions } from './retry-point.ts';
import { retryPoint } from './retry-point.ts';
import type { RewindOptions, RewindPlan } from './rewind-plan.ts';
import { planRewind } from './rewind-plan.ts';
import { rewindRun } from './rewind-run.ts';
import type { RunSnapshot } from './run-snapshot.ts';
import { takeSnapshot } from './run-snapshot.ts';
import { storeMedia } from './store-media.ts';
import { untilDelivered } from './until-delivered.ts';
import { wholeRun } from './whole-run.ts';

/** How a message is given to a run. */
export interface SendOptions {
  /** The same id is appended once and gets the same receipt; a random one when absent. */
  readonly id?: string;
  readonly mode?: SendMode;
}

/** One run. Nothing is asked before a method is called. */
export class RunHandle {
  readonly id: string;
  readonly #client: Client;
  readonly #blobs: BlobStore | undefined;

  constructor(client: Client, id: string, blobs?: BlobStore) {
    this.#client = client;
    this.#blobs = blobs;
    this.id = id;
  }

  /**
   * The run's result, once it has ended, for every stop reason.
   * @throws EverloopError `not_found`, `terminated`, `invalid_input`, `run_failed`, `engine_unreachable`
   */
  async result(): Promise<RunResult> {
    return await translated(this.id, () => awaitResult(this.#client, this.id));
  }

  /** Where the run stands, from the server alone. */
  async snapshot(): Promise<RunSnapshot> {
    return await takeSnapshot(this.#client, this.id);
  }

  /**
   * The whole transcript so far.
   * @throws EverloopError `not_found`, `blob_missing` when a part of it is nowhere any more
   */
  async messages(): Promise<readonly TranscriptMessage[]> {
    const { state } = await this.snapshot();
    if (state === undefined) return [];
    const all = await translated(this.id, () => wholeRun(this.#client, this.#blobs, state));
    return markInherited(all, state, 0);
  }

  /**
   * Durable events, from the first on or those after `after`, and further ones as they happen, until the run has
   * ended: each once, in order, across every Temporal run of this run.
   * @throws EverloopError `not_found`, `invalid_input` for an `after` that is no event of the run
   */
  async *events(options: EventsOptions = {}): AsyncGenerator<RunEvent, void, undefined> {
    const events = readEvents(this.#client, this.id, options);
    try {
      for (;;) {
        const next = await translated(this.id, () => events.next());
        if (next.done) return;
        yield next.value;
      }
    } finally {
      await events.return();
    }
  }

  /** The run as it was recorded: every Temporal run of it that the server still has. */
  async recorded(): Promise<RecordedRun> {
    return await translated(this.id, () => readRecordedRun(this.#client, this.id));
  }

  /**
   * Executes the recorded run again, without effects, and compares: whether this build's code (or
   * `options.bundle`) does the same, and LoopState after every iteration.
   */
  async replay(options: ReplayOptions = {}): Promise<ReplayVerdict> {
    const recorded = await this.recorded();
    // Loads native code, which other clients do without.
    const { replayRun } = await import('../replay/replay-run.ts');
    const { payloadCodecs, externalStorage } = this.#client.options.loadedDataConverter;
    const dataConverter = { payloadCodecs, ...(externalStorage && { externalStorage }) };
    return await replayRun(recorded, { dataConverter, ...options });
  }

  /**
   * Gives the run a user message, read at its next boundary, or sooner by its mode.
   * @throws EverloopError `run_ending` also when it has ended, `inbox_full`, `rejected`, `invalid_input`, `blob_store_failed`, `not_found`
   */
  async send(message: UserInput, options: SendOptions = {}): Promise<SendReceipt> {
    const { id = crypto.randomUUID(), mode } = options;
    const sent = await storeMedia(this.#blobs, message);
    assertSendable(sent, 'the message', this.#blobs);
    return await this.#tell(send, { id, message: sent, ...(mode !== undefined && { mode }) }, id);
  }

  /**
   * Decides on a call that waits for approval. The first decision counts.
   * @throws EverloopError `invalid_input` for another input that does not fit the tool, `rejected` for a call that does not wait for it or no longer, `run_ending`, `not_found`
   */
  async decide(callId: string, decision: Omit<DecideInput, 'callId'>): Promise<void> {
    if (decision.input !== undefined) {
      const { state } = await this.snapshot();
      if (state !== undefined) assertFits(state, callId, decision.input);
    }
    await this.#tell(decide, { callId, ...decision });
  }

  /**
   * Answers a call that waits for an answer, with a text or a JSON value. The first answer counts.
   * @throws EverloopError `rejected` for a call that does not wait for it or no longer, `run_ending`, `not_found`
   */
  async answer(
    callId: string,
    given: AnswerInput['answer'],
    options: Omit<AnswerInput, 'callId' | 'answer'> = {},
  ): Promise<void> {
    await this.#tell(answer, { callId, answer: given, ...options });
  }

  /**
   * Lets the run stand still at its next boundary.
   * @throws EverloopError `rejected` when it is paused already, `run_ending`, `not_found`
   */
  async pause(options: PauseInput = {}): Promise<void> {
    await this.#tell(pause, options);
  }

  /**
   * Lets a paused run go on.
   * @throws EverloopError `rejected` when it is not paused, `run_ending`, `not_found`
   */
  async resume(options: PauseInput = {}): Promise<void> {
    await this.#tell(resume, options);
  }

  /**
   * Adds to limits of the run's budget: what is given to each. A run that waits at its budget goes on.
   * @throws EverloopError `rejected` for a limit that the run does not have, `run_ending`, `not_found`
   */
  async extendBudget(more: ExtendBudgetInput): Promise<void> {
    await this.#tell(extendBudget, more);
  }

  async #tell<Answer, Payload>(
    update: UpdateDefinition<Answer, [Payload]>,
    payload: Payload,
    updateId: string = crypto.randomUUID(),
  ): Promise<Answer> {
    const handle = this.#client.workflow.getHandle(this.id);
    return await this.#whileOpen(() =>
      untilDelivered(() =>
        handle.executeUpdate<Answer, [Payload]>(update, { updateId, args: [payload] }),
      ),
    );
  }

  /**
   * Makes runs that go on from a message of this one, open or closed; each has its own budget and id. The messages
   * up to there are shared, not copied.
   * @throws EverloopError `not_found` (the run, or the message), `input_required`, `invalid_input`, `rejected`
   */
  async fork(options: ForkRequest = {}): Promise<readonly RunHandle[]> {
    const runs = await forkRun(this.#client, this.#blobs, this.id, options);
    return runs.map((id) => new RunHandle(this.#client, id, this.#blobs));
  }

  /** The sub-agents of the run, newest first. */
  children(): AsyncIterable<RunSummary> {
    return listRuns(this.#client, { parent: this.id });
  }

  /**
   * What taking the run back would leave behind; nothing is done yet.
   * @throws EverloopError as {@link RunHandle.rewind} does
   */
  async rewindPlan(options: RewindOptions): Promise<RewindPlan> {
    return (await planRewind(this.#client, this.#blobs, this.id, 'rewound', options)).plan;
  }

  /**
   * Takes the run back to the end of an iteration, or to a message, and lets it go on from there: open, closed or
   * stuck, under the same id. What tools did since is done, and what was spent stays spent. A run that is going on
   * is paused first, for ten seconds at most.
   * @returns what was left behind
   * @throws EverloopError `not_found` (the run, the point, or a history that the server keeps no longer),
   * `input_required`, `invalid_input`, `rejected` for a sub-agent whose parent is open, and while sub-agents are
   * running unless `force` says that they may end
   */
  async rewind(options: RewindOptions): Promise<RewindPlan> {
    return await rewindRun(this.#client, this.#blobs, this.id, 'rewound', options);
  }

  /** What {@link RunHandle.retry} would leave behind; nothing is done yet. */
  async retryPlan(options: RetryOptions = {}): Promise<RewindPlan> {
    const point = await retryPoint(this.#client, this.id, options);
    const all = { ...options, ...point };
    return (await planRewind(this.#client, this.#blobs, this.id, 'retried', all)).plan;
  }

  /**
   * Lets a run that failed, was stopped or is stuck try again from its newest boundary without a later failure.
   * One that stopped at a limit needs a higher one.
   * @returns what was left behind
   * @throws EverloopError `rejected` when there is nothing to try again; as {@link RunHandle.rewind} does
   */
  async retry(options: RetryOptions = {}): Promise<RewindPlan> {
    const point = await retryPoint(this.#client, this.id, options);
    const all = { ...options, ...point };
    return await rewindRun(this.#client, this.#blobs, this.id, 'retried', all);
  }

  /** What the run did and was taken back from, oldest first, as far as the server keeps its history. */
  async discarded(): Promise<readonly DiscardedPart[]> {
    return await translated(this.id, () => discardedParts(this.#client, this.#blobs, this.id));
  }

  /**
   * Asks the run to stop; its calls are told, its transcript stays whole.
   * @throws EverloopError `run_ending` when it has ended, `not_found`
   */
  async cancel(): Promise<void> {
    await translated(this.id, async () => {
      const handle = this.#client.workflow.getHandle(this.id);
      // The server takes a cancellation of a closed Workflow without a word.
      const { status } = await handle.describe();
      if (status.name !== 'RUNNING') throw ended(this.id, status.name.toLowerCase());
      await handle.cancel();
    });
  }

  /**
   * Ends the run at once, without asking it: calls in flight are not told, no hook runs, no result is recorded.
   * Sub-agents are terminated with it, forks are not. For a run that cannot be cancelled.
   * @param reason is kept in its history
   * @throws EverloopError `run_ending` when it has ended, `not_found`
   */
  async terminate(reason?: string): Promise<void> {
    await this.#whileOpen(() => this.#client.workflow.getHandle(this.id).terminate(reason));
  }

  /** The server does not find a closed Workflow when it is told something: here the two are told apart. */
  async #whileOpen<T>(tell: () => Promise<T>): Promise<T> {
    try {
      return await translated(this.id, tell);
    } catch (error) {
      if (!(error instanceof EverloopError) || error.code !== 'not_found') throw error;
      const { status } = await this.snapshot();
      throw ended(this.id, status);
    }
  }
}

function ended(id: string, status: string): EverloopError {
  return new EverloopError('run_ending', `run ${id} has ended (${status})`, {
    hint: `see how it ended with: everloop show ${id}`,
  });
}
