/** The client: starts runs, finds them, lists them. */
import { resolve } from 'node:path';
import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { EngineAddress } from '../engine/connect.ts';
import { connectClient } from '../engine/connect.ts';
import { liveEngineState } from '../engine/engine-state.ts';
import { projectDirectory } from '../engine/project-directory.ts';
import { agentAttribute, rootAttribute, statusAttribute } from '../engine/search-attributes.ts';
import { EverloopError } from '../everloop-error.ts';
import { startState } from '../loop/apply.ts';
import { problemsOf } from '../loop/problems-of.ts';
import type { StartInput } from '../loop/run-input.ts';
import { StartArgument } from '../loop/run-input.ts';
import { memoKey, toRunMemo } from '../loop/to-run-memo.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { createFileBlobStore } from '../storage/file-blob-store.ts';
import { withPayloadStorage } from '../storage/payload-storage.ts';
import { assertSendable } from './assert-sendable.ts';
import { translated } from './client-errors.ts';
import type { RunSide, RunsDiff } from './diff-runs.ts';
import { diffRuns } from './diff-runs.ts';
import type { RunFilter, RunSummary } from './list-runs.ts';
import { listRuns } from './list-runs.ts';
import type { Orphan } from './orphans.ts';
import { findOrphans } from './orphans.ts';
import { RunHandle } from './run-handle.ts';
import { takeSnapshot } from './run-snapshot.ts';
import { withStoredMedia } from './store-media.ts';
import { wholeRun } from './whole-run.ts';

/** Task queue of Workers and runs where nothing else is said. */
export const defaultTaskQueue = 'everloop';

/** Which server to connect to, and what its Workers share. */
export interface ConnectOptions extends Partial<EngineAddress> {
  /** `host:port`; the engine that `everloop dev` runs for `project` when absent. */
  readonly address?: string;
  /** Folder of the project whose running engine is meant; the current one when absent. */
  readonly project?: string;
  readonly namespace?: string;
  readonly taskQueue?: string;
  /** The blob store of the Workers; that of `project` when absent and its engine is meant. */
  readonly blobs?: BlobStore;
}

/** What a client needs to know beside its connection. */
export interface FromOptions {
  /** `everloop` when absent. */
  readonly taskQueue?: string;
  /** The blob store of the Workers: old parts of long transcripts, large results, images. */
  readonly blobs?: BlobStore;
}

/** What a run may be started with beside its agent. */
export interface StartOptions extends Omit<StartInput, 'agent'> {
  /** Id of the run; a random one when absent. */
  readonly id?: string;
  /** Time until it begins; a message to it lets it begin at once. */
  readonly delayMs?: number;
}

/** The agents of a configuration, as far as a client cares: their names. */
export interface AgentNames {
  readonly agents: Readonly<Record<string, unknown>>;
}

/** A client of the runs of one server. `Config` is a type only: no tool code comes with it. */
export class Everloop<Config extends AgentNames = AgentNames> {
  readonly #client: Client;
  readonly #taskQueue: string;
  readonly #blobs: BlobStore | undefined;
  readonly #close: () => Promise<void>;

  private constructor(client: Client, options: FromOptions, close: () => Promise<void>) {
    this.#client = client;
    this.#taskQueue = options.taskQueue ?? defaultTaskQueue;
    this.#blobs = options.blobs;
    this.#close = close;
  }

  /**
   * Connects to the Temporal server at `address`, or to the running engine of a project.
   * @throws EverloopError `engine_unreachable`
   */
  static async connect<Config extends AgentNames = AgentNames>(
    options: ConnectOptions = {},
  ): Promise<Everloop<Config>> {
    const { namespace = 'default', taskQueue, project = process.cwd(), ...access } = options;
    const address = options.address ?? (await addressOfEngine(project));
    const ofProject = options.address === undefined ? blobsOf(project) : undefined;
    const blobs = options.blobs ?? ofProject;
    const { client, connection } = await connectClient({
      ...access,
      address,
      namespace,
      ...(blobs && { client: { dataConverter: withPayloadStorage(undefined, blobs) } }),
    });
    const from = { ...(taskQueue !== undefined && { taskQueue }), ...(blobs && { blobs }) };
    return new Everloop<Config>(client, from, () => connection.close());
  }

  /** Uses a Temporal client that is connected already; closing stays with its owner. */
  static from<Config extends AgentNames = AgentNames>(
    client: Client,
    options: FromOptions = {},
  ): Everloop<Config> {
    return new Everloop<Config>(client, options, async () => {});
  }

  /**
   * Starts a run.
   * @throws EverloopError `run_exists` when the id was used before, `invalid_input`, `blob_store_failed`, `engine_unreachable`
   */
  async start(agent: keyof Config['agents'] & string, options: StartOptions): Promise<RunHandle> {
    const { id = crypto.randomUUID(), delayMs, ...rest } = options;
    if (delayMs !== undefined && !(Number.isSafeInteger(delayMs) && delayMs >= 0)) {
      throw invalidStart('delayMs: must be a whole number of milliseconds');
    }
    const parsed = StartArgument.safeParse({ start: { agent, ...rest } });
    if (!parsed.success) {
      throw invalidStart(problemsOf(parsed.error, 'input'));
    }
    const start = await withStoredMedia(this.#blobs, parsed.data.start);
    assertSendable(start, 'the input of the run', this.#blobs);
    const at = Date.now();
    const first = startState({ type: 'run-started', at, runId: id, firstTemporalRunId: '', start });
    await translated(id, () =>
      this.#client.workflow.start('everloopAgentRun', {
        workflowId: id,
        taskQueue: this.#taskQueue,
        args: [{ start }],
        workflowIdConflictPolicy: 'FAIL',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        memo: { [memoKey]: toRunMemo(first, at) },
        typedSearchAttributes: new TypedSearchAttributes([
          { key: agentAttribute, value: agent },
          { key: statusAttribute, value: 'running' },
          { key: rootAttribute, value: id },
        ]),
        staticSummary: first.title,
        ...(delayMs !== undefined && { startDelay: delayMs }),
      }),
    );
    return new RunHandle(this.#client, id, this.#blobs);
  }

  /** The run of that id; nothing is asked yet. */
  run(id: string): RunHandle {
    return new RunHandle(this.#client, id, this.#blobs);
  }

  /** Runs, newest first. */
  list(filter: RunFilter = {}): AsyncIterable<RunSummary> {
    return listRuns(this.#client, filter);
  }

  /**
   * Where two runs part, message by message, and what each came to.
   * @throws EverloopError `not_found`, `blob_missing` when a part of a transcript is nowhere any more, `engine_unreachable`
   */
  async diff(a: string, b: string): Promise<RunsDiff> {
    const [left, right] = await Promise.all([this.#sideOf(a), this.#sideOf(b)]);
    return diffRuns(left, right);
  }

  async #sideOf(id: string): Promise<RunSide> {
    const { status, state } = await takeSnapshot(this.#client, id);
    if (state === undefined) return { id, status, messages: [] };
    const messages = await translated(id, () => wholeRun(this.#client, this.#blobs, state));
    return { id, status, state, messages };
  }

  /** Open sub-agents that nobody waits for: their parent has ended, or is not there. */
  orphans(): AsyncIterable<Orphan> {
    return findOrphans(this.#client);
  }

  /** Closes the connection, if {@link Everloop.connect} made it. */
  async close(): Promise<void> {
    await this.#close();
  }
}

async function addressOfEngine(project: string): Promise<string> {
  const state = await liveEngineState(projectDirectory(resolve(project)));
  if (state !== undefined) return state.address;
  throw new EverloopError('engine_unreachable', `no engine is running for ${project}`, {
    hint: 'start one with: everloop dev, or name the address of a Temporal server',
  });
}

function blobsOf(project: string): BlobStore {
  return createFileBlobStore(projectDirectory(resolve(project)).blobs);
}

function invalidStart(problems: string): EverloopError {
  return new EverloopError('invalid_input', `the run cannot be started: ${problems}`);
}
