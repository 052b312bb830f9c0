/** `cancel`: how long it takes from `cancel()` to the provider's socket being closed. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { Everloop } from '../../src/client/everloop.ts';
import { connectClient } from '../../src/engine/connect.ts';
import { connectWorker } from '../../src/engine/connect-worker.ts';
import { heartbeatSettings } from '../../src/engine/worker-settings.ts';
import type { OpenAiChatServer } from '../../src/testing/openai-chat/openai-chat-server.ts';
import { startOpenAiChatServer } from '../../src/testing/openai-chat/openai-chat-server.ts';
import type { CallLogLine } from '../../src/testing/provider-server/call-log.ts';
import { createWorker } from '../../src/worker.ts';
import type { Scenario } from '../scenario.ts';
import type { ServerKind } from '../servers.ts';
import { startServer } from '../servers.ts';
import { estimateMedian, quantile } from '../statistics.ts';
import { textOfBytes } from '../workload.ts';

const samples = 20;
const warmUp = 2;
const namespace = 'default';
const taskQueue = 'cancel';

/** A provider that says a few words and then falls silent, and notes when each call was closed. */
interface SilentProvider extends Pick<OpenAiChatServer, 'url' | 'calls' | 'close'> {
  readonly logFile: string;
}

export const cancelScenario: Scenario = {
  name: 'cancel',
  title: "cancel() to the provider's socket closed, with push cancel and without",
  async run(say) {
    const pushed = await cancelTimes('tuned', say);
    const unpushed = await cancelTimes('without-push', say);
    return {
      figures: {
        'with push, 90th percentile ms': quantile(pushed, 0.9),
        'without push, 90th percentile ms': quantile(unpushed, 0.9),
      },
      checks: [
        { name: 'with push, ms', measured: estimateMedian(pushed), bound: { atMost: 250 } },
        { name: 'without push, ms', measured: estimateMedian(unpushed), bound: { atMost: 1_500 } },
      ],
    };
  },
};

async function cancelTimes(kind: ServerKind, say: (line: string) => void): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'everloop-bench-cancel-'));
  const logFile = join(folder, 'calls.jsonl');
  const provider = await startOpenAiChatServer({
    script: () => ({ text: textOfBytes(1024) }),
    misbehave: () => ({ kind: 'stall', afterChunks: 5 }),
    logFile,
  });
  const server = await startServer(kind);
  const { client, connection } = await connectClient({ address: server.address, namespace });
  const native = await connectWorker({ address: server.address });
  const worker = await createWorker({
    connection: native,
    namespace,
    taskQueue,
    profile: 'embedded',
    agents: { bench: defineAgent({ model: 'openai-chat:bench', instructions: 'Talk on.' }) },
    providers: { 'openai-chat': { apiKey: 'bench', baseURL: provider.url } },
  });
  const running = worker.run();
  try {
    const everloop = Everloop.from(client, { taskQueue });
    const times: number[] = [];
    for (let sample = 0; sample < warmUp + samples; sample += 1) {
      const ms = await cancelOnce(everloop, { ...provider, logFile }, sample);
      if (sample >= warmUp) times.push(ms);
    }
    say(`${samples} cancels on the ${kind} server`);
    return times;
  } finally {
    worker.shutdown();
    await running;
    await native.close();
    await connection.close();
    await server.stop();
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Cancels call number `index` of the provider in the middle of its answer; milliseconds until its socket closed. */
async function cancelOnce(
  everloop: Everloop,
  provider: SilentProvider,
  index: number,
): Promise<number> {
  const run = await everloop.start('bench', { input: 'Talk.' });
  await until(() => (provider.calls()[index]?.deltasSent ?? 0) > 0);
  // Cancels at all distances from a heartbeat, for without push it is the next one that tells.
  await delay((heartbeatSettings('embedded').intervalMs * (index % samples)) / samples);
  const cancelledAt = Date.now();
  await run.cancel();
  await until(() => provider.calls()[index]?.status === 'closedByClient');
  await run.result();
  return (await closedAt(provider.logFile, index)) - cancelledAt;
}

async function closedAt(logFile: string, index: number): Promise<number> {
  const lines = (await readFile(logFile, 'utf8')).trim().split('\n');
  const closed = lines
    .map((line) => JSON.parse(line) as CallLogLine)
    .find((line) => line.index === index && line.event === 'closed-by-client');
  if (closed === undefined) throw new Error(`call ${index} was not closed by its client`);
  return closed.at;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(5);
}
