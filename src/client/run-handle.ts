/** A run seen from outside: look at it, follow it, send it messages, cancel it. */
import type { Client } from '@temporalio/client';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure } from '@temporalio/common';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { EverloopError } from '../everloop-error.ts';
import type { RunEvent } from '../loop/events.ts';
import { failureType } from '../loop/failure-types.ts';
import type { UserInput } from '../loop/run-input.ts';
import { RunResult } from '../loop/run-result.ts';
import { toRunResult } from '../loop/to-run-result.ts';
import type { RecordedRun } from '../replay/recorded-run.ts';
import type { ReplayOptions, ReplayVerdict } from '../replay/replay.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { SendReceipt } from '../workflows/messages.ts';
import { send } from '../workflows/messages.ts';
import { assertSendable } from './assert-sendable.ts';
import { translated } from './client-errors.ts';
import type { EventsOptions } from './read-events.ts';
import { readEvents } from './read-events.ts';
import { readRecordedRun } from './recorded-run.ts';
import type { RunSnapshot } from './run-snapshot.ts';
import { takeSnapshot } from './run-snapshot.ts';
import { storeMedia } from './store-media.ts';
import { newestTemporalRun } from './temporal-runs.ts';
import { untilDelivered } from './until-delivered.ts';
import { wholeRun } from './whole-run.ts';

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
    return await translated(this.id, async () => {
      for (;;) {
        const temporalRunId = await newestTemporalRun(this.#client, this.id);
        try {
          const handle = this.#client.workflow.getHandle(this.id, temporalRunId);
          return RunResult.parse(await handle.result());
        } catch (error) {
          if (!(error instanceof WorkflowFailedError)) throw error;
          // A reset ends one Temporal run of this id and goes on in another.
          if (temporalRunId !== (await newestTemporalRun(this.#client, this.id))) continue;
          return await this.#resultOfFailure(error);
        }
      }
    });
  }

  async #resultOfFailure({ cause }: WorkflowFailedError): Promise<RunResult> {
    if (cause instanceof TerminatedFailure) {
      throw new EverloopError('terminated', `run ${this.id} was terminated`, {
        hint: 'what it did is still there: everloop show <id>',
      });
    }
    if (cause instanceof ApplicationFailure) {
      if (cause.type === failureType.invalidInput) {
        throw new EverloopError('invalid_input', cause.message);
      }
      const recorded = RunResult.safeParse(cause.details?.[0]);
      if (recorded.success) return recorded.data;
      throw new EverloopError('run_failed', cause.message);
    }
    // A cancelled Workflow records no result: it is read from its history.
    const { state } = await this.snapshot();
    if (cause instanceof CancelledFailure && state?.stop !== undefined) return toRunResult(state);
    throw new EverloopError('run_failed', `run ${this.id} failed: ${cause?.message}`);
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
    return await translated(this.id, () => wholeRun(this.#client, this.#blobs, state));
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
    return await replayRun(recorded, options);
  }

  /**
   * Gives the run a user message, read at its next boundary.
   * @param id the same id is appended once and gets the same receipt
   * @throws EverloopError `run_ending` also when it has ended, `inbox_full`, `rejected`, `invalid_input`, `blob_store_failed`, `not_found`
   */
  async send(message: UserInput, id: string = crypto.randomUUID()): Promise<SendReceipt> {
    const sent = await storeMedia(this.#blobs, message);
    assertSendable(sent, 'the message', this.#blobs);
    return await this.#whileOpen(() =>
      untilDelivered(() =>
        this.#client.workflow
          .getHandle(this.id)
          .executeUpdate(send, { updateId: id, args: [{ id, message: sent }] }),
      ),
    );
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
