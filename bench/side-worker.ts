/** A Worker of one side in a process of its own. Answers the message `counts` with its transcript lookups; gone when its starter is. */
import { ModelContexts } from '../src/activities/model-contexts.ts';
import { connectWorker } from '../src/engine/connect-worker.ts';
import { installRuntime } from '../src/engine/runtime.ts';
import type { SideName } from './sides.ts';
import { sides } from './sides.ts';
import { createWorkload } from './workload.ts';

/** What the process is told on its command line, as JSON. */
export interface SideWorkerOrder {
  readonly side: SideName;
  readonly address: string;
  readonly taskQueue: string;
  readonly blobs: string;
}

const [text = ''] = process.argv.slice(2);
const { side, address, taskQueue, blobs } = JSON.parse(text) as SideWorkerOrder;
installRuntime('ERROR');
const contexts = new ModelContexts();
const connection = await connectWorker({ address });
const place = { connection, taskQueue, blobs, contexts };
const worker = await sides[side].createWorker(place, createWorkload());
process.on('message', (message) => {
  if (message === 'counts') process.send?.({ ...contexts.counts });
  if (message === 'shutdown') worker.shutdown();
});
process.on('disconnect', () => process.exit());
const running = worker.run();
process.send?.('ready');
await running;
process.exit();
