/** A Worker in this process. Loads native code: imported by the commands that need it, when they need it. */
import type { WorkflowBundleOption } from '@temporalio/worker';
import type { Config } from '../config.ts';
import type { EngineAddress } from '../engine/connect.ts';
import { connectWorker } from '../engine/connect-worker.ts';
import type { EngineProfile } from '../engine/worker-settings.ts';
import type { EventBus } from '../storage/event-bus.ts';
import { createWorker } from '../worker.ts';
import type { Terminal } from './terminal.ts';
import { installWorkerRuntime } from './worker-runtime.ts';

/** What a Worker is started with. */
export interface LocalWorkerOptions {
  readonly address: EngineAddress;
  readonly profile: EngineProfile;
  readonly bus?: EventBus;
  /** Time that calls in flight get when the Worker is stopped; the profile's own when not said. */
  readonly graceMs?: number;
  /** The Workflow code, when it is bundled already. */
  readonly bundle?: WorkflowBundleOption;
  /** Says what the Worker warns of; quiet otherwise. */
  readonly warnings?: boolean;
}

/** A Worker that runs. */
export interface LocalWorker {
  /** Takes no new work and waits for what is in flight, at most the grace time. */
  stop(): Promise<void>;
  /** Rejects when the Worker ends by itself. */
  readonly failed: Promise<never>;
}

/**
 * Starts a Worker for the configuration's agents.
 * @throws EverloopError `engine_unreachable`
 */
export async function startLocalWorker(
  terminal: Terminal,
  config: Config,
  options: LocalWorkerOptions,
): Promise<LocalWorker> {
  installWorkerRuntime(terminal, options.warnings === true);
  const { namespace, taskQueue, agents, providers } = config;
  const connection = await connectWorker(options.address);
  const worker = await createWorker({
    connection,
    namespace,
    taskQueue,
    profile: options.profile,
    agents: Object.fromEntries(agents),
    providers,
    blobs: config.blobs,
    ...(config.prices !== undefined && { prices: config.prices }),
    ...(options.bus !== undefined && { bus: options.bus }),
    worker: {
      ...(options.graceMs !== undefined && { shutdownGraceTime: options.graceMs }),
      ...(options.bundle !== undefined && { workflowBundle: options.bundle }),
    },
  }).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  const running = worker.run().catch((error: unknown) => failure.reject(error));
  return {
    failed: failure.promise,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
      await connection.close();
    },
  };
}
