/**
 * Records a history of every behaviour for `test/histories/`, where each is replayed for ever: run it when a
 * behaviour is new or changed on purpose, and keep the old files. `node scripts/record-histories.ts [name …]`
 */
import { access, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { RunHandle } from '../src/client/run-handle.ts';
import {
  askUser,
  createToolRegistry,
  defineAgent,
  defineExternalTool,
  defineHook,
  defineTool,
  RetryableError,
  task,
  userMessage,
} from '../src/index.ts';
import { toHistoryFile } from '../src/replay/recorded-run.ts';
import type { TestHarness } from '../src/testing/index.ts';
import { killWorkerAt, scriptedModel, startTestHarness } from '../src/testing/index.ts';

const started = new Map<string, PromiseWithResolvers<void>>();
const startOf = (id: string) => {
  const known = started.get(id) ?? Promise.withResolvers<void>();
  started.set(id, known);
  return known;
};

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  effect: 'none',
  execute: ({ text }) => text,
});
const near = defineTool({
  name: 'near',
  description: 'Runs inside the Workflow task.',
  input: z.object({ text: z.string() }),
  effect: 'none',
  local: true,
  execute: ({ text }) => text.toUpperCase(),
});
const flaky = defineTool({
  name: 'flaky',
  description: 'Works the second time.',
  input: z.object({}),
  effect: 'idempotent',
  execute(_, { attempt }) {
    if (attempt === 1) throw new RetryableError('not yet', { retryAfterMs: 50 });
    return 'now';
  },
});
const stuck = defineTool({
  name: 'stuck',
  description: 'Waits until it is cancelled.',
  input: z.object({}),
  effect: 'once',
  execute: (_, { signal, run }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      startOf(run.id).resolve();
    }),
});
const large = defineTool({
  name: 'large',
  description: 'Says a lot.',
  input: z.object({}),
  effect: 'none',
  execute: () => 'much to say. '.repeat(10_000),
});
const guarded = defineTool({
  name: 'guarded',
  description: 'Asks first, about odd numbers.',
  input: z.object({ n: z.number() }),
  approve: { when: ({ n }) => n % 2 === 1, timeout: '1 hour' },
  execute: ({ n }) => n,
});
const hasty = defineTool({
  name: 'hasty',
  description: 'Asks, and waits a moment only.',
  input: z.object({}),
  approve: { when: 'always', timeout: '200 ms' },
  execute: () => 'never',
});
const webhook = defineExternalTool({
  name: 'webhook',
  description: 'Is answered by a program.',
  input: z.object({}),
});
const tools = createToolRegistry();
for (const tool of [echo, near, flaky, stuck, large]) tools.register(tool);

const call = (name: string, input = {}) => ({ name, input });
const hook = defineHook({
  name: 'hook',
  onStart: () => ({
    instructions: ['Be brief.'],
    messages: [userMessage('A word before.')],
    metadata: { started: true },
    tools: { hide: ['large'] },
  }),
  onModelStart: () => ({ options: { temperature: 0.5 } }),
  onModelEnd: ({ response }) => ({ metadata: { finished: response.finishReason } }),
  onToolStart: ({ input }) =>
    input['text'] === 'skip' ? { action: { kind: 'skip', text: 'no need' } } : undefined,
  onToolEnd: ({ call: { id } }) => ({ metadata: { [id]: 'seen' } }),
  onLoop: () => ({ events: [{ type: 'looped', data: 1 }], tools: { show: ['large'] } }),
  onEnd: () => ({ metadata: { ended: true } }),
});

let models = 0;
const agentWith = (
  script: Parameters<typeof scriptedModel>[0],
  more: Partial<Parameters<typeof defineAgent>[0]> = {},
) => {
  models += 1;
  const model = scriptedModel(script, { name: `scripted ${models}` });
  return defineAgent({ model, instructions: 'Do.', tools, ...more });
};
const endless = () => ({ text: 'On.', calls: [call('echo', { text: 'on' })] });

const agents = {
  answers: agentWith([{ reasoning: 'Easy.', text: 'Yes.' }]),
  tools: agentWith([
    {
      calls: [
        call('echo', { text: 'a' }),
        call('near', { text: 'b' }),
        call('flaky'),
        call('large'),
        call('unknown'),
        { name: 'echo', arguments: '{"text":' },
      ],
    },
    { text: 'Done.' },
  ]),
  serial: agentWith(
    [{ calls: [call('echo', { text: 'a' }), call('echo', { text: 'b' })] }, { text: 'Done.' }],
    { serialTools: true },
  ),
  stuck: agentWith([{ text: 'Waiting.', calls: [call('stuck'), call('echo', { text: 'a' })] }]),
  endless: agentWith(endless, { maxIterations: 3 }),
  finishes: agentWith(
    ({ tools: offered }) => (offered === undefined ? { text: 'In short: on.' } : endless()),
    { maxIterations: 2, onMaxIterations: 'finish' },
  ),
  hooked: agentWith(
    [{ calls: [call('echo', { text: 'skip' }), call('near', { text: 'b' })] }, { text: 'Done.' }],
    { hooks: [hook] },
  ),
  refused: agentWith([{ refusal: 'I would rather not.' }]),
  fails: agentWith([{ error: { kind: 'bad_request', status: 400, message: 'no' } }]),
  fallsBack: defineAgent({
    model: [
      scriptedModel([{ error: { kind: 'not_found', status: 404, message: 'gone' } }], {
        name: 'gone',
      }),
      scriptedModel([{ text: 'Here.' }], { name: 'here' }),
    ],
    instructions: 'Do.',
  }),
  guarded: agentWith(
    [
      {
        calls: [
          ...[1, 2, 3, 5].map((n) => call('guarded', { n })),
          call('guarded', { n: 'none' }),
          call('webhook'),
          call('ask_user', { question: 'Why?' }),
          call('hasty'),
        ],
      },
      { calls: [call('guarded', { n: 7 })] },
      { text: 'Done.' },
    ],
    { tools: [guarded, hasty, webhook, askUser()] },
  ),
  speaks: agentWith([{ text: 'A long speech to come.', stallAfter: 1 }, { text: 'In short: no.' }]),
  leads: agentWith(
    ({ messages }) => {
      const last = messages.findLast(({ role }) => role === 'user');
      const said = JSON.stringify(last);
      if (said.includes('FAIL')) return { error: { kind: 'bad_request', message: 'no' } };
      if (said.includes('You work on one task')) return { text: 'A result.' };
      return messages.at(-1)?.role === 'user'
        ? {
            calls: [
              call('task', { task: 'One.' }),
              call('fork', { task: 'FAIL' }),
              call('task', { task: ' ' }),
            ],
          }
        : { text: 'Done.' };
    },
    { tools: [task(), task({ name: 'fork', context: 'forked' })] },
  ),
  spends: agentWith(endless, {
    budget: { tokens: 20_000, iterations: 2 },
    onLimit: { waitFor: '1 hour' },
  }),
  forgets: agentWith(
    ({ messages }) => {
      const isFull = messages.length > 8 && !JSON.stringify(messages.at(-1)).includes('Sum up');
      if (isFull) return { error: { kind: 'context_too_long', message: 'too long' } };
      if (JSON.stringify(messages.at(-1)).includes('Sum up')) return { text: 'It went on.' };
      return JSON.stringify(messages).includes('It went on.') ? { text: 'Done.' } : endless();
    },
    { maxIterations: 20 },
  ),
  long: agentWith(
    ({ messages }) =>
      messages.filter(({ role }) => role === 'tool').length < 120
        ? { calls: [call('near', { text: 'x' }), call('echo', { text: 'y' })] }
        : { text: 'Done.' },
    { maxIterations: 500 },
  ),
};
type Harness = TestHarness<typeof agents>;

const reached = async (run: RunHandle, status: string): Promise<void> => {
  while ((await run.snapshot()).status !== status) await delay(50);
};
const waiting = async (run: RunHandle): Promise<readonly string[]> => {
  const { state } = await run.snapshot();
  return (state?.pendingToolCalls ?? []).flatMap(({ status, call: { id } }) =>
    status === 'awaiting' ? [id] : [],
  );
};

const ended = async (
  harness: Harness,
  agent: keyof typeof agents,
  input: string | object = 'Go.',
) => {
  const start = typeof input === 'string' ? { input } : { input: 'Go.', ...input };
  const run = await harness.everloop.start(agent, start);
  await run.result();
  return run;
};

/** Every behaviour, by the name of its file. */
const behaviours: Readonly<Record<string, (harness: Harness) => Promise<RunHandle>>> = {
  'an-answer': (harness) => ended(harness, 'answers'),
  'tools-of-all-kinds': (harness) => ended(harness, 'tools'),
  'tools-in-order': (harness) => ended(harness, 'serial'),
  'the-iteration-limit': (harness) => ended(harness, 'endless'),
  'a-finish-call': (harness) => ended(harness, 'finishes'),
  'hooks-of-all-moments': (harness) => ended(harness, 'hooked'),
  'a-refusal': (harness) => ended(harness, 'refused'),
  'a-failed-model': (harness) => ended(harness, 'fails'),
  'a-fallback': (harness) => ended(harness, 'fallsBack'),
  'a-repaired-history': (harness) =>
    ended(harness, 'answers', {
      history: [
        userMessage('Before.'),
        {
          role: 'assistant',
          parts: [{ kind: 'tool_call', toolCall: { id: 'lost', name: 'echo', arguments: '{}' } }],
        },
      ],
    }),
  'a-continued-run': async (harness) => {
    const run = await harness.everloop.start('long', { input: 'Go.' });
    for (let n = 0; n < 20; n += 1) await run.send(`Message ${n}.`, { id: `m${n}` });
    await harness.client.workflow.getHandle(run.id).signal('send', { message: 'By Signal.' });
    await harness.client.workflow.getHandle(run.id).signal('send', 7);
    await run.result();
    return run;
  },
  'a-cancelled-tool': async (harness) => {
    const run = await harness.everloop.start('stuck', { input: 'Go.' });
    await startOf(run.id).promise;
    await run.cancel();
    await run.result();
    return run;
  },
  'a-terminated-run': async (harness) => {
    const run = await harness.everloop.start('stuck', { input: 'Go.' });
    await startOf(run.id).promise;
    await run.terminate('enough');
    return run;
  },
  'approvals-and-answers': async (harness) => {
    const run = await harness.everloop.start('guarded', { input: 'Go.' });
    await reached(run, 'waiting:approval');
    const handle = harness.client.workflow.getHandle(run.id);
    const [first = '', second = '', third = '', hook = '', person = ''] = await waiting(run);
    await run.decide(first, { decision: 'edit', input: { n: 4 }, by: 'ann' });
    await handle.signal('decide', { callId: second, decision: 'deny', reason: 'odd' });
    await handle.signal('decide', { callId: 'none', decision: 'allow' });
    await run.answer(hook, { ok: true });
    await run.answer(person, '');
    await delay(400); // the hasty one is denied by then
    await run.decide(third, { decision: 'allow', remember: true });
    await run.result();
    return run;
  },
  'a-steered-model': async (harness) => {
    const run = await harness.everloop.start('speaks', { input: 'Speak.' });
    while ((await run.snapshot()).open[0]?.status !== 'started') await delay(20);
    await run.send('Shorter.', { mode: 'steer' });
    await run.result();
    return run;
  },
  'an-interrupted-tool': async (harness) => {
    const run = await harness.everloop.start('stuck', { input: 'Go.' });
    await startOf(run.id).promise;
    await run.send('Stop that.', { mode: 'interrupt' });
    await run.result();
    return run;
  },
  'a-paused-run': async (harness) => {
    const run = await harness.everloop.start('endless', { input: 'Go.' });
    await run.pause({ by: 'ann', reason: 'lunch' });
    await reached(run, 'paused');
    await run.send('Meanwhile.');
    await run.resume({ by: 'ann' });
    await run.result();
    return run;
  },
  'a-run-at-its-budget': async (harness) => {
    const run = await harness.everloop.start('spends', { input: 'Go.' });
    await reached(run, 'waiting:budget');
    await run.extendBudget({ iterations: 1 });
    await reached(run, 'waiting:budget');
    await run.cancel();
    await run.result();
    return run;
  },
  'a-fork': async (harness) => {
    const run = await ended(harness, 'tools');
    const [fork] = await run.fork({ at: 0, edit: 'Go on.', maxIterations: 3 });
    if (fork === undefined) throw new Error('nothing was forked');
    await fork.result();
    return fork;
  },
  'a-run-forked-while-it-waits': async (harness) => {
    const run = await harness.everloop.start('guarded', { input: 'Go.' });
    await reached(run, 'waiting:approval');
    await run.fork({ at: 0, agent: 'answers', count: 2 });
    await harness.client.workflow.getHandle(run.id).signal('fork', { count: 0 });
    await run.cancel();
    await run.result();
    return run;
  },
  'a-rewound-run': async (harness) => {
    const run = await ended(harness, 'endless');
    await run.rewind({ toIteration: 1, input: 'Once more.', tellModel: true });
    await run.result();
    return run;
  },
  'a-retried-run': async (harness) => {
    const run = await ended(harness, 'fails');
    await run.retry();
    await run.result();
    return run;
  },
  'sub-agents': (harness) => ended(harness, 'leads'),
  'a-compacted-conversation': (harness) => ended(harness, 'forgets'),
  'a-run-that-waits-through-two-histories': async (harness) => {
    const run = await harness.everloop.start('guarded', { input: 'Go.' });
    await reached(run, 'waiting:approval');
    const handle = harness.client.workflow.getHandle(run.id);
    while ((await run.snapshot()).state?.generation === 1) {
      await Promise.all(Array.from({ length: 50 }, () => handle.signal('resume')));
    }
    await run.cancel();
    await run.result();
    return run;
  },
  'a-killed-worker': async (harness) => {
    const ledger = join(await mkdtemp(join(tmpdir(), 'everloop-record-')), 'ledger');
    const { runId } = await killWorkerAt({
      module: new URL('../examples/crash-agents.ts', import.meta.url),
      agent: 'payer',
      start: { input: 'Pay.' },
      at: { moment: 'tool-start' },
      env: { EXAMPLE_LEDGER: ledger },
      engine: harness,
    });
    return harness.everloop.run(runId);
  },
  'an-open-run': async (harness) => {
    const run = await harness.everloop.start('stuck', { input: 'Go.' });
    await startOf(run.id).promise;
    await delay(200);
    return run;
  },
};

const folder = new URL('../test/histories/', import.meta.url);
const date = new Date().toISOString().slice(0, 10);
const wanted = process.argv.slice(2);

async function write(name: string, text: string): Promise<void> {
  const file = new URL(`${name}@${date}.json`, folder);
  await access(file).then(
    () => Promise.reject(new Error(`${fileURLToPath(file)} is there already`)),
    // Whose process it was is nobody's business.
    () => writeFile(file, text.replaceAll(/"identity":"[^"]*"/g, '"identity":"recorder"')),
  );
  console.log(`${name}: ${text.length} bytes`);
}

const harness = await startTestHarness({ agents });
for (const [name, record] of Object.entries(behaviours)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const run = await record(harness);
  await write(name, toHistoryFile(await run.recorded()));
  const { status } = await run.snapshot();
  if (status === 'running') await run.terminate();
}
await harness.stop();
