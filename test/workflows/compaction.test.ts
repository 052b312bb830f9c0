import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Request } from '../../src/chat/request.ts';
import { textOf } from '../../src/chat/text-of.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { ScriptedAnswer } from '../../src/models/scripted.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';
import { resultTexts } from '../support/transcript.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ n: z.number() }),
  effect: 'none',
  execute: ({ n }) => `seen ${n} ${'.'.repeat(2_000)}`,
});

/** What each model was asked with, and what for. */
const asked: {
  readonly model: string;
  readonly summing: boolean;
  readonly texts: readonly string[];
}[] = [];

interface Behaviour {
  readonly iterations: number;
  /** Prompts of more messages than this are refused as too long. */
  readonly takes?: number;
  readonly summaryFails?: boolean;
}

/** Counts its prompt by messages: 1,000 tokens each. Its calls say how far it is. */
function answer(name: string, { iterations, takes, summaryFails }: Behaviour) {
  return ({ messages }: Request): ScriptedAnswer => {
    const said = messages.filter(({ role }) => role !== 'system');
    const last = said.at(-1);
    const summing = last !== undefined && textOf(last).startsWith('Sum up this conversation');
    asked.push({ model: name, summing, texts: said.map(textOf) });
    seenResults.push(resultTexts(said));
    const usage = { inputTokens: said.length * 1_000, outputTokens: 10 };
    if (summing) {
      if (summaryFails === true)
        return { error: { kind: 'bad_request', retryable: false, message: 'no' } };
      const before = said.map(textOf).find((text) => text.startsWith('Summary of our'));
      return {
        text: `Looked at ${countIn(said.map(textOf))}.${before === undefined ? '' : ' Again.'}`,
        usage,
      };
    }
    if (takes !== undefined && said.length > takes) {
      return { error: { kind: 'context_too_long', retryable: false, message: 'too long' } };
    }
    done += 1;
    if (done >= iterations) return { text: 'Done.', usage };
    return { text: 'Next.', calls: [{ id: `c${done}`, name: 'look', input: { n: done } }], usage };
  };
}

/** The tool results that each prompt held. */
const seenResults: (readonly string[])[] = [];

let done = 0;
function countIn(texts: readonly string[]): number {
  return texts.filter((text) => text.startsWith('Next')).length;
}

function agent(name: string, behaviour: Behaviour, more: { offload?: { oldAfter: number } } = {}) {
  const model = scriptedModel(answer(name, behaviour), { name });
  return defineAgent({ model, instructions: 'Look.', tools: [look], maxIterations: 200, ...more });
}

const price = { input: 1, output: 1, contextTokens: 20_000 };
const agents = {
  long: agent('long', { iterations: 30 }),
  surprised: agent('surprised', { iterations: 12, takes: 9 }),
  stubborn: agent('stubborn', { iterations: 12, summaryFails: true }),
  longer: agent('longer', { iterations: 130 }),
  ageing: agent('ageing', { iterations: 32 }, { offload: { oldAfter: 10 } }),
};

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({
    agents,
    prices: { long: price, stubborn: price, longer: price },
  });
});
afterAll(async () => {
  await harness.stop();
});

async function start(name: keyof typeof agents): Promise<RunHandle> {
  done = 0;
  asked.length = 0;
  return await harness.everloop.start(name, { input: 'Look at everything.' });
}

async function expectReplay(run: RunHandle): Promise<void> {
  const verdict = await run.replay();
  expect(verdict.ok ? 'replays' : verdict.problem).toBe('replays');
}

describe('a conversation that grows too long', () => {
  it('is summed up near the context of its model, again and again, while the transcript keeps everything', async () => {
    const run = await start('long');
    expect((await run.result()).stopReason).toBe('completed');
    const messages = await run.messages();
    expect(messages).toHaveLength(1 + 29 * 2 + 1);
    const summed = asked.filter(({ summing }) => summing);
    expect(summed.length).toBeGreaterThanOrEqual(2);
    // A later summary is made of the earlier one.
    expect(summed[1]?.texts[0]).toMatch(/^Summary of our conversation.*\n\nLooked at \d+\.$/s);
    const prompts = asked.filter(({ summing }) => !summing).map(({ texts }) => texts.length);
    expect(Math.max(...prompts)).toBeLessThanOrEqual(19);
    const last = asked.at(-1);
    expect(last?.texts[0]).toContain('Again.');
    expect(last?.texts.at(-1)).toBe('');
    const events = await Array.fromAsync(run.events());
    const compactions = events.filter(({ type }) => type === 'compaction');
    expect(compactions).toHaveLength(summed.length);
    const { state } = await run.snapshot();
    expect(state?.compactions).toBe(summed.length);
    expect(state?.modelCalls).toBe(30 + summed.length);
    await expectReplay(run);
  });

  it('is summed up when the model says that it is too long, and the call is made again', async () => {
    const run = await start('surprised');
    expect((await run.result()).stopReason).toBe('completed');
    expect(asked.some(({ summing }) => summing)).toBe(true);
    await expectReplay(run);
  });

  it('goes on without a summary that cannot be made', async () => {
    const run = await start('stubborn');
    expect((await run.result()).stopReason).toBe('completed');
    expect(asked.some(({ summing }) => summing)).toBe(true);
    expect((await run.snapshot()).state?.compaction).toBeUndefined();
    await expectReplay(run);
  });

  it('stays summed up when the run goes on in a new Temporal run, also in a process that held nothing of it', async () => {
    const run = await start('longer');
    await expect
      .poll(async () => (await run.snapshot()).state?.generation, { timeout: 60_000 })
      .toBeGreaterThan(1);
    harness.contexts.end((await run.snapshot()).temporalRunId);
    expect((await run.result()).stopReason).toBe('completed');
    expect(await run.messages()).toHaveLength(1 + 129 * 2 + 1);
    const prompts = asked.filter(({ summing }) => !summing).map(({ texts }) => texts.length);
    expect(Math.max(...prompts)).toBeLessThanOrEqual(19);
    await expectReplay(run);
  }, 90_000);
});

describe('old tool results', () => {
  it('are shortened in what the model sees, a step at a time, with the way to the rest; the transcript keeps them', async () => {
    const run = await start('ageing');
    expect((await run.result()).stopReason).toBe('completed');
    const last = asked.at(-1)?.texts.length;
    expect(last).toBe(63);
    const whole = await run.messages();
    const results = whole.filter(({ role }) => role === 'tool');
    expect(results.every((message) => JSON.stringify(message).includes('.'.repeat(2_000)))).toBe(
      true,
    );
    const shown = seenResults.at(-1) ?? [];
    const short = shown.filter((text) => text.includes('read_result with result "'));
    // 63 messages, of which the last ten are new: the first forty are old, nineteen of them results.
    expect(short).toHaveLength(19);
    expect(shown.slice(0, 19)).toEqual(short);
    const [, hash = ''] = /read_result with result "(\w+)"/.exec(short[0] ?? '') ?? [];
    const rest = new TextDecoder().decode(await harness.blobs.get(hash));
    expect(rest).toBe(`seen 1 ${'.'.repeat(2_000)}`);
    await expectReplay(run);
  });
});
