import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { KillPoint } from '../../src/testing/crash/worker-moment.ts';
import { killWorkerAt } from '../../src/testing/kill-worker-at.ts';
import { sharedBundle } from '../support/harness.ts';
import { resultTexts } from '../support/transcript.ts';
import { ledgerVariable } from './killed-agents.ts';

const module = new URL('./killed-agents.ts', import.meta.url);

let folder: string;
let ledger: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'everloop-kill-'));
  ledger = join(folder, 'ledger');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function killAt(at: KillPoint | readonly KillPoint[], timeoutMs = 60_000) {
  return killWorkerAt({
    module,
    agent: 'worker',
    start: { input: 'Work.' },
    at,
    env: { [ledgerVariable]: ledger },
    engine: { address: inject('temporalAddress') },
    bundle: sharedBundle(),
    timeoutMs,
  });
}

/** Names of the tools whose code ran, in order. */
async function ledgerTools(): Promise<readonly string[]> {
  const lines = (await readFile(ledger, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => line.split(' ')[0] ?? '');
}

describe('killWorkerAt', () => {
  it('kills a Worker that has begun to answer: the model is asked again, and nothing else', async () => {
    const report = await killAt({ moment: 'first-delta', nth: 2 });
    expect(report.result).toMatchObject({ stopReason: 'completed', output: 'All is done.' });
    expect(report.kills).toMatchObject([{ worker: 1, activityId: '2/model', attempt: 1 }]);
    expect(report.calls.map(({ id, attempts }) => `${id} ${attempts}`)).toEqual([
      '1/model 1',
      '1/call_0_0 1',
      '2/model 2',
      '2/call_1_0 1',
      '2/call_1_1 1',
      '3/model 1',
    ]);
    expect(await ledgerTools()).toEqual(['look', 'pay', 'post']);
    const asked = report.moments.filter(({ moment }) => moment === 'model-start');
    expect(asked.map(({ worker, activityId }) => `${worker}: ${activityId}`)).toEqual([
      '1: 1/model',
      '1: 2/model',
      '2: 2/model',
      '2: 3/model',
    ]);
  });

  it('kills one Worker after another, each as the effect of its tool says', async () => {
    const report = await killAt([
      { moment: 'tool-end', tool: 'pay' },
      { moment: 'tool-start', tool: 'post' },
    ]);
    expect(report.kills).toMatchObject([
      { worker: 1, moment: 'tool-end', tool: 'pay' },
      { worker: 2, moment: 'tool-start', tool: 'post' },
    ]);
    // Paid, and nobody knows: never again. Not posted yet: posted by the third Worker.
    expect(await ledgerTools()).toEqual(['look', 'pay', 'post']);
    expect(resultTexts(report.messages)).toEqual([
      'look done',
      expect.stringContaining('outcome unknown: pay started'),
      'post done',
    ]);
    expect(report.calls.filter(({ kind }) => kind === 'tool')).toMatchObject([
      { attempts: 1, outcome: 'completed' },
      { attempts: 1, outcome: 'lost' },
      { attempts: 2, outcome: 'completed' },
    ]);
  });

  it('says what came instead when the moment never comes', async () => {
    await expect(killAt({ moment: 'model-start', nth: 9 })).rejects.toThrow(
      /ended before its Worker could be killed: .*\n[\s\S]*Worker 1: model-start of 3\/model/,
    );
  });

  it('says why a Worker did not even start', async () => {
    const broken = killWorkerAt({
      module: join(folder, 'nowhere.ts'),
      agent: 'worker',
      start: { input: 'Work.' },
      at: { moment: 'model-start' },
      engine: { address: inject('temporalAddress') },
      bundle: sharedBundle(),
    });
    await expect(broken).rejects.toThrow(/Worker 1 ended by itself[\s\S]*nowhere\.ts/);
  });
});
