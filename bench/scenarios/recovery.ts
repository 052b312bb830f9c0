/** `recovery`: how long a run stands still when the Worker that works on it is killed and another one is alive, and whether anything is done twice. */
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Everloop } from '../../src/client/everloop.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { connectClient } from '../../src/engine/connect.ts';
import type { LedgerLine, RecoveryWorkerOrder } from '../recovery-worker.ts';
import type { Check, Scenario } from '../scenario.ts';
import { startServer } from '../servers.ts';
import { namespace } from '../sides.ts';
import { estimateMedian } from '../statistics.ts';

/** Kills of each kind, a hundred in all. */
const kills = { parked: 20, call: 30, anywhere: 50 } as const;
/** Longest time without progress, seconds; kills anywhere hit calls and Workflow tasks alike. */
const atMost = { parked: 3, call: 8, anywhere: 12 } as const;

type Kind = keyof typeof kills;

const taskQueue = 'recovery';
const program = fileURLToPath(new URL('../recovery-worker.ts', import.meta.url));

export const recoveryScenario: Scenario = {
  name: 'recovery',
  title: 'seconds until the next progress after kill -9 of the Worker at work, another one alive',
  async run(say) {
    const folder = await mkdtemp(join(tmpdir(), 'everloop-bench-recovery-'));
    const server = await startServer('tuned');
    const { client, connection } = await connectClient({ address: server.address, namespace });
    const order = {
      address: server.address,
      taskQueue,
      blobs: join(folder, 'blobs'),
      ledger: join(folder, 'ledger'),
    };
    const workers = await Workers.start(order);
    const everloop = Everloop.from(client, { taskQueue });
    try {
      const checks: Check[] = [];
      for (const kind of ['parked', 'call', 'anywhere'] as const) {
        const seconds: number[] = [];
        for (let n = 0; n < kills[kind]; n += 1) {
          seconds.push(await trials[kind](everloop, workers, n));
          await workers.complete();
        }
        say(`${kind}: ${kills[kind]} kills, ${Math.max(...seconds).toFixed(1)} s at most`);
        checks.push(...checksOf(kind, seconds));
      }
      const lines = await workers.ledger();
      return { figures: {}, checks: [...checks, ...countedTwice(lines)] };
    } finally {
      await workers.stop();
      await connection.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

function checksOf(kind: Kind, seconds: readonly number[]): Check[] {
  return [
    {
      name: `${kind}: median seconds`,
      measured: estimateMedian(seconds),
      bound: { atMost: atMost[kind] },
    },
    {
      name: `${kind}: longest, seconds`,
      measured: exact(Math.max(...seconds)),
      bound: { atMost: atMost[kind] },
    },
  ];
}

/** Every tool has the effect `once`: none of its calls may begin a second time. */
function countedTwice(lines: readonly LedgerLine[]): Check[] {
  const begun = Map.groupBy(
    lines.filter(({ moment }) => moment === 'begun'),
    ({ run, call }) => `${run} ${call}`,
  );
  const twice = [...begun.values()].filter(({ length }) => length > 1);
  return [{ name: 'once effects done twice', measured: exact(twice.length), bound: { atMost: 0 } }];
}

function exact(value: number) {
  return { median: value, low: value, high: value, samples: 1 };
}

/** Kills a Worker in a certain way; seconds until the run goes on. */
const trials: Readonly<
  Record<Kind, (everloop: Everloop, workers: Workers, n: number) => Promise<number>>
> = {
  async parked(everloop, workers) {
    const run = await everloop.start('asking', { input: 'Go.', maxIterations: 2 });
    const callId = await awaitingCall(run);
    // Nobody knows which of the two holds it: the one that is left must answer in any case.
    await workers.kill(workers.newest());
    const killedAt = Date.now();
    await run.decide(callId, { decision: 'allow' });
    const { at } = await workers.line((line) => line.run === run.id);
    await run.cancel();
    return (at - killedAt) / 1_000;
  },
  async call(everloop, workers) {
    const run = await everloop.start('slow', { input: 'Go.', maxIterations: 2 });
    const { pid } = await workers.line((line) => line.run === run.id);
    return await afterKill(run, workers, pid);
  },
  async anywhere(everloop, workers, n) {
    const run = await everloop.start('quick', { input: 'Go.', maxIterations: 100 });
    await workers.line((line) => line.run === run.id);
    // Spread over an iteration and more, the same in every run of the scenario.
    await delay(((n * 37) % 100) * 4);
    const { pid } = await workers.newestLine(run.id);
    return await afterKill(run, workers, pid);
  },
};

async function afterKill(run: RunHandle, workers: Workers, pid: number): Promise<number> {
  await workers.kill(pid);
  const killedAt = Date.now();
  const { at } = await workers.line(
    (line) => line.run === run.id && line.pid !== pid && line.at >= killedAt,
  );
  await run.cancel();
  return (at - killedAt) / 1_000;
}

async function awaitingCall(run: RunHandle): Promise<string> {
  for (;;) {
    const { state } = await run.snapshot();
    const pending = state?.pendingToolCalls.find(({ status }) => status === 'awaiting');
    if (pending !== undefined) return pending.call.id;
    await delay(20);
  }
}

/** Two Workers, of which one may be killed at any time; and what they have noted. */
class Workers {
  readonly #order: RecoveryWorkerOrder;
  #processes: ChildProcess[] = [];

  private constructor(order: RecoveryWorkerOrder) {
    this.#order = order;
  }

  static async start(order: RecoveryWorkerOrder): Promise<Workers> {
    const workers = new Workers(order);
    await workers.complete();
    return workers;
  }

  newest(): number {
    return this.#processes.at(-1)?.pid ?? 0;
  }

  async kill(pid: number): Promise<void> {
    const killed = this.#processes.find((child) => child.pid === pid);
    if (killed === undefined) throw new Error(`no Worker ${pid} is alive`);
    const exited = once(killed, 'exit');
    killed.kill('SIGKILL');
    await exited;
    this.#processes = this.#processes.filter((child) => child !== killed);
  }

  /** Starts Workers until there are two again. */
  async complete(): Promise<void> {
    while (this.#processes.length < 2) {
      const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
      const child = fork(program, [JSON.stringify(this.#order)], { stdio: [...stdio] });
      await once(child, 'message');
      this.#processes.push(child);
    }
  }

  async ledger(): Promise<readonly LedgerLine[]> {
    const text = await readFile(this.#order.ledger, 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line): LedgerLine => JSON.parse(line));
  }

  /** The first line of that kind, once it is there. */
  async line(isMeant: (line: LedgerLine) => boolean): Promise<LedgerLine> {
    for (;;) {
      const found = (await this.ledger()).find(isMeant);
      if (found !== undefined) return found;
      await delay(10);
    }
  }

  async newestLine(run: string): Promise<LedgerLine> {
    const found = (await this.ledger()).findLast((line) => line.run === run);
    if (found === undefined) throw new Error(`run ${run} has done nothing`);
    return found;
  }

  async stop(): Promise<void> {
    for (const child of this.#processes) await this.kill(child.pid ?? 0);
  }
}
