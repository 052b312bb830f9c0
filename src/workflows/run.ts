/** The Workflow's hold on its LoopState: the one place where facts are applied, and handed to the host process. */
import { CancellationScope, sleep, workflowInfo } from '@temporalio/workflow';
import { apply, startState } from '../loop/apply.ts';
import { awaitingState } from '../loop/departure-states.ts';
import type { Fact } from '../loop/fact.ts';
import { isBoundary } from '../loop/is-boundary.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { isPointArgument, isStateArgument } from '../loop/read-input.ts';
import { isReplay } from '../loop/replay-name.ts';
import type { AgentRunInput } from '../loop/run-input.ts';
import { stopGraceMs } from '../loop/stop-grace.ts';
import { sinks } from './sinks.ts';

/** Time after a cancellation in which calls may stop; two seconds of it are for their answer's way. Then their outcome counts as unknown. */
const graceMs = stopGraceMs + 2_000;

/** Half of what the server takes in one call, 4 MB; a task completes with more than its Updates. */
const acceptedBytesPerTask = 2_000_000;

/** Turns of the event loop that a result takes from the Activity to whoever waits for it; more do no harm. */
const turnsOfAResult = 50;

/** The Workflow's LoopState, and the only way to change it. */
export class Run {
  /** Workflow time at which lists were last told of the run, milliseconds since the epoch. */
  summaryAt: number;
  /** Events in the history when the transcript could not be sealed last. */
  sealFailedAt: number | undefined;
  /** The run goes on in a new Temporal run: nothing is started here any more. */
  isLeaving = false;
  #state: LoopState;
  /** The time of the Workflow task that is being executed, and the history's length by which it is known. */
  #task = { time: 0, length: -1, acceptedBytes: 0 };
  readonly #rootScope = CancellationScope.current();
  readonly #graceListeners = new Set<() => void>();
  /** Holds the calls in flight. One for many calls: making one makes Promises, each with its stack trace. */
  #calls: CancellationScope | undefined;
  /** Forks that are being started. */
  readonly #opening = new Set<Promise<void>>();
  readonly #replayed: boolean;
  /** Messages that a replay was told of, and the agent. */
  #told = 0;
  #agentTold: LoopState['agent'];

  constructor(argument: AgentRunInput) {
    const { workflowId, firstExecutionRunId, startTime, taskQueue } = workflowInfo();
    this.#replayed = isReplay(taskQueue);
    this.now();
    this.summaryAt = startTime.getTime();
    void this.#watchGrace();
    const born = {
      at: startTime.getTime(),
      runId: workflowId,
      firstTemporalRunId: firstExecutionRunId,
    };
    if (isStateArgument(argument)) {
      this.#state = argument.from.state;
      this.#goOn(argument.from.previous.temporalRunId);
    } else if (isPointArgument(argument)) {
      this.#state = awaitingState({ ...born, from: argument.from });
      return;
    } else {
      this.#state = startState({ type: 'run-started', ...born, start: argument.start });
    }
    if (this.#replayed) this.#reach();
  }

  /** The process that held the transcript may hold it still. */
  #goOn(temporalRunId: string): void {
    const { agent, transcript } = this.#state;
    if (agent === undefined) throw new Error('a run went on from a state without its agent');
    sinks.transcript.goOn(agent, {
      temporalRunId,
      count: transcript.count - transcript.tail.length,
    });
    this.#append(0);
  }

  /**
   * Workflow time in milliseconds since the epoch: the start of the Workflow task, which history tells. The
   * sandbox's own clock moves on when a local Activity is over, by an amount that a replay need not repeat.
   *
   * Contract: called before a local Activity is started in the same task, so that the clock has not moved yet.
   */
  now(): number {
    const { historyLength: length } = workflowInfo();
    if (length !== this.#task.length) {
      this.#task = { time: Date.now(), length, acceptedBytes: 0 };
    }
    return this.#task.time;
  }

  /**
   * The same for those who may refuse an Update: a Workflow task that brings nothing but refused Updates leaves no
   * event, and the next one finds the same length of history. Its time must not be taken for this one's.
   */
  glanceAtNow(): number {
    return workflowInfo().historyLength === this.#task.length ? this.#task.time : Date.now();
  }

  /**
   * Whether an Update of that size can still be accepted in this Workflow task: they are all written with the
   * task's completion, and the server ends a run whose completion is too large for it. Counts it if so.
   */
  admit(bytes: number): boolean {
    this.now();
    const sum = this.#task.acceptedBytes + bytes;
    if (this.#task.acceptedBytes > 0 && sum > acceptedBytesPerTask) return false;
    this.#task.acceptedBytes = sum;
    return true;
  }

  /** The state as it is now; it is never changed in place. */
  get state(): LoopState {
    return this.#state;
  }

  /** The state is over when a stop is recorded: from then on messages are refused. */
  get stopped(): boolean {
    return this.#state.stop !== undefined;
  }

  /** Applies a fact, and hands on what it brings: messages, the agent, a compaction. */
  apply(fact: Exclude<Fact, { type: 'run-started' }>): void {
    const { agent: before, transcript, compaction } = this.#state;
    this.#state = apply(this.#state, fact);
    const { agent } = this.#state;
    // Known now, or with further instructions: what a request begins with is another one.
    const isOther = agent !== undefined && agent !== before;
    if (isOther) sinks.transcript.begin(agent);
    this.#append(isOther ? 0 : transcript.count);
    if (this.#state.compaction !== undefined && this.#state.compaction !== compaction) {
      sinks.transcript.compact(this.#state.compaction);
    }
    if (fact.type === 'ended') sinks.transcript.end();
    if (this.#replayed && isBoundary(fact)) this.#reach();
  }

  /** Hands on the messages from index `since` on. */
  #append(since: number): void {
    if (this.#replayed) return; // nobody keeps a transcript there, and each call costs a copy
    const { tail, count } = this.#state.transcript;
    const first = count - tail.length;
    for (let index = Math.max(since, first); index < count; index += 1) {
      const message = tail[index - first];
      if (message !== undefined) sinks.transcript.append(index, message);
    }
  }

  /** One timer for the run, whatever the number of its calls. */
  async #watchGrace(): Promise<void> {
    await this.#rootScope.cancelRequested.catch(() =>
      CancellationScope.nonCancellable(() => sleep(graceMs)),
    );
    // A result that arrived in the same Workflow task counts: history shows it, and does not show this timer.
    for (let turn = 0; turn < turnsOfAResult; turn += 1) await undefined;
    for (const listener of this.#graceListeners) listener();
  }

  /** Keeps the run from closing before the start of a fork is over: the server would forget it. */
  open(starting: Promise<void>): void {
    this.#opening.add(starting);
    void starting.finally(() => this.#opening.delete(starting));
  }

  /** Whether forks are being started. */
  get isOpening(): boolean {
    return this.#opening.size > 0;
  }

  /** Resolves when every fork has been started. */
  async allOpened(): Promise<void> {
    while (this.#opening.size > 0) await Promise.all(this.#opening);
  }

  /** Does `work` where `cutOff` reaches it. */
  inReach<T>(work: () => Promise<T>): Promise<T> {
    this.#calls ??= new CancellationScope();
    return this.#calls.run(work);
  }

  /** Calls off the calls in flight, and leaves the run itself alone. */
  cutOff(): void {
    const calls = this.#calls;
    this.#calls = undefined;
    calls?.cancel();
  }

  /** Calls `listener` some time after the run was cancelled, until the returned function is called. */
  onGraceOver(listener: () => void): () => void {
    this.#graceListeners.add(listener);
    return () => this.#graceListeners.delete(listener);
  }

  /** Tells a replay where the run is; of the transcript and the agent only what is new, or a long run would be copied again and again. */
  #reach(): void {
    const { transcript } = this.#state;
    const tail = transcript.tail.slice(this.#told);
    this.#told = transcript.tail.length;
    const { agent, ...state } = this.#state;
    const isTold = agent === this.#agentTold;
    this.#agentTold = agent;
    sinks.boundary.reached({
      ...state,
      ...(agent !== undefined && !isTold && { agent }),
      transcript: { ...transcript, tail },
    });
  }

  /**
   * Takes note of a cancellation. Asked after every wait, and read from the scope itself: all jobs of an
   * activation are applied before any code goes on, so a decision never misses a cancellation that history
   * places before it.
   */
  noteCancellation(): void {
    if (this.#rootScope.consideredCancelled && !this.#state.cancelRequested) {
      this.apply({ type: 'cancel-requested' });
    }
  }
}
