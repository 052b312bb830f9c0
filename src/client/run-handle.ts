/** A run seen from outside: look at it, follow it, send it messages, cancel it. */
import type { Client } from '@temporalio/client';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure } from '@temporalio/common';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { EverloopError } from '../everloop-error.ts';
import { RunEventProjection } from '../history/run-event-projection.ts';
import type { RunEvent } from '../loop/events.ts';
import { failureType } from '../loop/failure-types.ts';
import type { UserInput } from '../loop/run-input.ts';
import { RunResult } from '../loop/run-result.ts';
import { toRunResult } from '../loop/to-run-result.ts';
import type { SendReceipt } from '../workflows/messages.ts';
import { send } from '../workflows/messages.ts';
import { assertSendable } from './assert-sendable.ts';
import { translated } from './client-errors.ts';
import { readHistory } from './read-history.ts';
import type { RunSnapshot } from './run-snapshot.ts';
import { takeSnapshot } from './run-snapshot.ts';

/** One run. Nothing is asked before a method is called. */
export class RunHandle {
  readonly id: string;
  readonly #client: Client;

  constructor(client: Client, id: string) {
    this.#client = client;
    this.id = id;
  }

  /**
   * The run's result, once it has ended, for every stop reason.
   * @throws EverloopError `not_found`, `terminated`, `invalid_input`, `run_failed`, `engine_unreachable`
   */
  async result(): Promise<RunResult> {
    return await translated(this.id, async () => {
      for (;;) {
        const temporalRunId = await this.#currentTemporalRun();
        try {
          const handle = this.#client.workflow.getHandle(this.id, temporalRunId);
          return RunResult.parse(await handle.result());
        } catch (error) {
          if (!(error instanceof WorkflowFailedError)) throw error;
          // A reset ends one Temporal run of this id and goes on in another.
          if (temporalRunId !== (await this.#currentTemporalRun())) continue;
          return await this.#resultOfFailure(error);
        }
      }
    });
  }

  async #currentTemporalRun(): Promise<string> {
    return (await this.#client.workflow.getHandle(this.id).describe()).runId;
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

  /** The transcript so far. */
  async messages(): Promise<readonly TranscriptMessage[]> {
    const { state } = await this.snapshot();
    return state?.transcript.tail ?? [];
  }

  /** Durable events from the first on, and further ones as they happen, until the run has ended. */
  async *events(options: { signal?: AbortSignal } = {}): AsyncGenerator<RunEvent, void, undefined> {
    const run = { runId: this.id, temporalRunId: await this.#currentTemporalRun() };
    const projection = new RunEventProjection(this.id, run.temporalRunId);
    for await (const event of readHistory(this.#client, run, { ...options, follow: true })) {
      yield* projection.add(event);
    }
  }

  /**
   * Gives the run a user message, read at its next boundary.
   * @param id the same id is appended once and gets the same receipt
   * @throws EverloopError `run_ending` also when it has ended, `rejected`, `invalid_input`, `not_found`
   */
  async send(message: UserInput, id: string = crypto.randomUUID()): Promise<SendReceipt> {
    assertSendable(message, 'the message');
    return await this.#whileOpen(() =>
      this.#client.workflow
        .getHandle(this.id)
        .executeUpdate(send, { updateId: id, args: [{ id, message }] }),
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
