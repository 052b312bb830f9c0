/** A Worker of the recovery scenario in a process of its own; what it does is noted in a file, one line a step. Gone when its starter is. */
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { defineAgent } from '../src/agents/define-agent.ts';
import { connectWorker } from '../src/engine/connect-worker.ts';
import { installRuntime } from '../src/engine/runtime.ts';
import { scriptedModel } from '../src/models/scripted.ts';
import { createFileBlobStore } from '../src/storage/file-blob-store.ts';
import { defineTool } from '../src/tools/define-tool.ts';
import { createWorker } from '../src/worker.ts';

/** What the process is told on its command line, as JSON. */
export interface RecoveryWorkerOrder {
  readonly address: string;
  readonly taskQueue: string;
  readonly blobs: string;
  /** File of the steps. */
  readonly ledger: string;
}

/** One step: a model call or a tool call that a process has begun or ended. */
export interface LedgerLine {
  readonly pid: number;
  readonly at: number;
  readonly run: string;
  readonly call: string;
  readonly moment: 'begun' | 'ended';
}

const [text = ''] = process.argv.slice(2);
const { address, taskQueue, blobs, ledger } = JSON.parse(text) as RecoveryWorkerOrder;

/** Long enough to be hit by a kill, short enough for many of them. */
const callMs = 40;
const longCallMs = 2_000;

function note(run: string, call: string, moment: LedgerLine['moment']): void {
  const line: LedgerLine = { pid: process.pid, at: Date.now(), run, call, moment };
  appendFileSync(ledger, `${JSON.stringify(line)}\n`);
}

function tool(name: string, durationMs: number, options: { approve?: 'always' } = {}) {
  return defineTool({
    name,
    description: 'Works for a moment.',
    input: z.object({}),
    effect: 'once',
    ...options,
    async execute(_input, { run }) {
      note(run.id, run.callId, 'begun');
      await delay(durationMs);
      note(run.id, run.callId, 'ended');
      return 'done';
    },
  });
}

function model(name: string) {
  return scriptedModel(
    async () => {
      await delay(callMs);
      return { text: 'On.', calls: [{ name, input: {} }] };
    },
    { name },
  );
}

const instructions = 'Work.';
const agents = {
  quick: defineAgent({ model: model('step'), instructions, tools: [tool('step', callMs)] }),
  slow: defineAgent({ model: model('long'), instructions, tools: [tool('long', longCallMs)] }),
  asking: defineAgent({
    model: model('ask'),
    instructions,
    tools: [tool('ask', 1, { approve: 'always' })],
  }),
};

installRuntime('ERROR');
const worker = await createWorker({
  connection: await connectWorker({ address }),
  namespace: 'default',
  taskQueue,
  profile: 'embedded',
  agents,
  blobs: createFileBlobStore(blobs),
});
process.on('disconnect', () => process.exit());
const running = worker.run();
process.send?.('ready');
await running;
process.exit();
