/** The program of a Worker that kills itself at a moment it is told on its first line of input; gone when its input ends. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import type { AgentDefinition } from '../../agents/define-agent.ts';
import { connectWorker } from '../../engine/connect-worker.ts';
import { installRuntime } from '../../engine/runtime.ts';
import type { LiveEvent } from '../../loop/events.ts';
import type { Providers } from '../../models/model-registry.ts';
import { createLocalEventBus } from '../../storage/event-bus.ts';
import { createFileBlobStore } from '../../storage/file-blob-store.ts';
import { createWorker } from '../../worker.ts';
import type { KillPoint, NotedMoment } from './worker-moment.ts';
import { isMeant, noteMoment } from './worker-moment.ts';

/** The line that the process is told what to do with. */
export interface CrashWorkerOrder {
  /** URL of the module with the agents. */
  readonly module: string;
  readonly address: string;
  readonly taskQueue: string;
  readonly providers: Providers;
  /** Folder of the blob store. */
  readonly blobs: string;
  /** File that moments are noted in. */
  readonly moments: string;
  /** File with the bundled Workflow code. */
  readonly bundle: string;
  /** Ordinal of the process. */
  readonly worker: number;
  /** When to be killed; never when absent. */
  readonly kill?: KillPoint;
}

const input = createInterface({ input: process.stdin });
const ended = once(input, 'close');
const [line] = (await once(input, 'line')) as [string];
const order = JSON.parse(line) as CrashWorkerOrder;
let met = 0;

function reach(moment: Omit<NotedMoment, 'worker'>): void {
  const noted = { ...moment, worker: order.worker };
  const { kill } = order;
  if (kill !== undefined && isMeant(kill, noted)) met += 1;
  const isLast = kill !== undefined && isMeant(kill, noted) && met === (kill.nth ?? 1);
  noteMoment(order.moments, isLast ? { ...noted, killed: true } : noted);
  if (!isLast) return;
  process.kill(process.pid, 'SIGKILL');
  // Not one step further, should the signal take its time.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** Attempts of which a delta was seen. */
const answering = new Set<string>();

function noteDelta({ type }: LiveEvent): void {
  if (!type.endsWith('-delta')) return;
  const { activityId, attempt } = Context.current().info;
  const call = `${activityId}/${attempt}`;
  if (answering.has(call)) return;
  answering.add(call);
  reach({ moment: 'first-delta', activityId, attempt });
}

function nameOf(given: unknown): string {
  const call = typeof given === 'object' && given !== null && 'call' in given ? given.call : {};
  return typeof call === 'object' && call !== null && 'name' in call ? String(call.name) : '';
}

const bus = createLocalEventBus();
const agents = await agentsOf(order.module);
installRuntime('ERROR');
const worker = await createWorker({
  connection: await connectWorker({ address: order.address }),
  taskQueue: order.taskQueue,
  profile: 'embedded',
  agents,
  providers: order.providers,
  blobs: createFileBlobStore(order.blobs),
  bus: {
    ...bus,
    publish(event) {
      noteDelta(event);
      bus.publish(event);
    },
  },
  worker: {
    shutdownGraceTime: '1 second',
    workflowBundle: { codePath: order.bundle },
    interceptors: { activity: [({ info }) => ({ inbound: watching(info) })] },
  },
});

function watching(info: {
  readonly activityType: string;
  readonly activityId: string;
  readonly attempt: number;
}): ActivityInboundCallsInterceptor {
  const { activityType, activityId, attempt } = info;
  return {
    async execute(given, next) {
      if (activityType === 'everloopCallModel') {
        reach({ moment: 'model-start', activityId, attempt });
      }
      if (activityType !== 'everloopRunTool') return await next(given);
      const call = { activityId, attempt, tool: nameOf(given.args[0]) };
      reach({ moment: 'tool-start', ...call });
      try {
        return await next(given);
      } finally {
        reach({ moment: 'tool-end', ...call });
      }
    },
  };
}

async function agentsOf(url: string): Promise<Readonly<Record<string, AgentDefinition>>> {
  const module: {
    readonly agents?: Readonly<Record<string, AgentDefinition>>;
    readonly default?: { readonly agents?: Readonly<Record<string, AgentDefinition>> };
  } = await import(url);
  const found = module.agents ?? module.default?.agents;
  if (found !== undefined) return found;
  throw new Error(`${url} exports neither agents nor a configuration`);
}

const running = worker.run();
await Promise.race([ended, running]);
if (worker.getState() === 'RUNNING') worker.shutdown();
await running;
process.exit(0);
