/** Which open runs a check of a build replays, and what it makes of each record. */

import { readdir, readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bundleWorkflows } from '../../src/engine/workflow-bundle.ts';
import { EverloopError } from '../../src/everloop-error.ts';
import type { CheckedRun, RunToCheck, UpgradeCandidate } from '../../src/replay/check-upgrade.ts';
import { checkUpgrade, isFailure, sampleOf } from '../../src/replay/check-upgrade.ts';
import { fromHistoryFile } from '../../src/replay/recorded-run.ts';
import { sharedBundle } from '../support/harness.ts';

function open(
  id: string,
  startedAt: number,
  more: Partial<UpgradeCandidate> = {},
): UpgradeCandidate {
  return { id, agent: 'clerk', agentHash: 'h1', build: 'b1', startedAt, ...more };
}

describe('the sample of open runs', () => {
  it('has of each agent, hash and build the oldest, the newest and some between', () => {
    const many = Array.from({ length: 11 }, (_, index) => open(`run-${index}`, 1_000 - index));
    const others = [
      open('other-agent', 5, { agent: 'cook' }),
      open('other-hash', 5, { agentHash: 'h2' }),
      open('other-build', 5, { build: 'b2' }),
    ];
    const chosen = sampleOf([...many, ...others], 3).map(({ id }) => id);
    expect(chosen).toEqual([
      'run-10',
      'run-5',
      'run-0',
      'other-agent',
      'other-hash',
      'other-build',
    ]);
  });

  it('is every run when that many are asked for', () => {
    const run = fc.record({
      id: fc.uuid(),
      agent: fc.constantFrom('a', 'b'),
      startedAt: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(run), fc.nat({ max: 4 }), (runs, more) => {
        const all = sampleOf(runs, more === 0 ? Number.POSITIVE_INFINITY : runs.length + more);
        expect(all.map(({ id }) => id).toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
      }),
    );
  });

  it('never has more of a kind than asked for, nor one twice, nor none of any', () => {
    const run = fc.record({ id: fc.uuid(), agent: fc.constantFrom('a', 'b'), startedAt: fc.nat() });
    fc.assert(
      fc.property(
        fc.uniqueArray(run, { selector: ({ id }) => id }),
        fc.integer({ min: 1, max: 5 }),
        (runs, perGroup) => {
          const chosen = sampleOf(runs, perGroup);
          expect(new Set(chosen).size).toBe(chosen.length);
          for (const agent of ['a', 'b']) {
            const there = runs.filter((each) => each.agent === agent).length;
            const taken = chosen.filter((each) => each.agent === agent).length;
            expect(taken).toBe(Math.min(there, perGroup));
          }
        },
      ),
    );
  });
});

const histories = new URL('../histories/', import.meta.url);

async function recorded(name: string): Promise<string> {
  const file = (await readdir(histories)).find((each) => each.startsWith(`${name}@`)) ?? '';
  return await readFile(new URL(file, histories), 'utf8');
}

async function checked(run: RunToCheck, code = sharedBundle()): Promise<CheckedRun | undefined> {
  const [first] = await Array.fromAsync(checkUpgrade([run], { bundle: code }));
  return first;
}

describe('a checked run', () => {
  it('replays, and tells its agent, its build and its size', async () => {
    const text = await recorded('a-continued-run');
    const run = await checked({
      name: 'one.json',
      read: async () => fromHistoryFile(text, 'one.json'),
    });
    expect(run).toMatchObject({
      name: 'one.json',
      agent: expect.stringMatching(/./),
      agentHash: expect.stringMatching(/^[0-9a-f]+$/),
      build: expect.stringMatching(/./),
      outcome: { verdict: 'replays' },
    });
    const { parts } = fromHistoryFile(text, 'one.json');
    expect(run?.events).toBe(parts.reduce((sum, { events }) => sum + events.length, 0));
    expect(run && isFailure(run)).toBe(false);
  });

  it('diverges where the code does something else', async () => {
    const text = await recorded('tools-in-order');
    const throwing = new URL('./throwing-workflow.ts', import.meta.url);
    const bundle = await bundleWorkflows(throwing.pathname);
    const read = async () => fromHistoryFile(text, 'one.json');
    const [run] = await Array.fromAsync(checkUpgrade([{ name: 'x', read }], { bundle }));
    expect(run?.outcome).toMatchObject({ verdict: 'diverges', iteration: 1 });
    expect(run && isFailure(run)).toBe(true);
  });

  it('that cannot be read counts as one that does not replay; one that is gone does not', async () => {
    const failing = (code: 'invalid_input' | 'not_found' | 'engine_unreachable'): RunToCheck => ({
      name: code,
      read: () => Promise.reject(new EverloopError(code, 'no')),
    });
    const unreadable = await checked(failing('invalid_input'));
    expect(unreadable?.outcome).toEqual({ verdict: 'unreadable', problem: 'no' });
    expect(unreadable && isFailure(unreadable)).toBe(true);
    const gone = await checked(failing('not_found'));
    expect(gone).toEqual({ name: 'not_found', outcome: { verdict: 'gone' } });
    expect(gone && isFailure(gone)).toBe(false);
    await expect(checked(failing('engine_unreachable'))).rejects.toThrow('no');
  });
});
