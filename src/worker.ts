/** The composition root of a Worker: configuration in, a Worker that runs agents out. Public as `everloop/worker`. */
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import { defaultTaskQueue } from './client/everloop.ts';
import type { EverloopPluginOptions } from './everloop-plugin.ts';
import { EverloopPlugin } from './everloop-plugin.ts';

export type { EverloopPluginOptions } from './everloop-plugin.ts';
export { EverloopPlugin } from './everloop-plugin.ts';

/** What a Worker is made of. */
export interface EverloopWorkerOptions extends EverloopPluginOptions {
  readonly connection: NativeConnection;
  /** Namespace of the runs; `default` when absent. */
  readonly namespace?: string;
  /** Task queue of the runs; `everloop` when absent. */
  readonly taskQueue?: string;
  /** Temporal's own Worker options, where they shall differ from Everloop's choice or add to it. */
  readonly worker?: Partial<Omit<WorkerOptions, 'connection' | 'namespace' | 'taskQueue'>>;
}

/**
 * Makes a Worker of Everloop's own; `worker.run()` starts it. A Worker that is made elsewhere takes the
 * {@link EverloopPlugin}, which is all that there is to this one.
 * @throws ConfigurationError when the agents cannot be served as they are, before anything is asked of the server
 */
export async function createWorker(options: EverloopWorkerOptions): Promise<Worker> {
  const { connection, namespace = 'default', taskQueue = defaultTaskQueue, worker } = options;
  return await Worker.create({
    ...worker,
    connection,
    namespace,
    taskQueue,
    plugins: [...(worker?.plugins ?? []), new EverloopPlugin(options)],
  });
}
