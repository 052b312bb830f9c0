/** Recorded histories of every behaviour, kept for ever: what was recorded once must replay with every later build. */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { fromHistoryFile } from '../../src/replay/recorded-run.ts';
import { replayRun } from '../../src/replay/replay-run.ts';
import { sharedBundle } from '../support/harness.ts';

const folder = new URL('../histories/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

describe('a recorded history', () => {
  it('is there for every behaviour', () => {
    const behaviours = files.map((name) => name.replace(/@.*/, ''));
    expect(behaviours).toEqual(
      expect.arrayContaining([
        'a-cancelled-tool',
        'a-continued-run',
        'a-failed-model',
        'a-fallback',
        'a-finish-call',
        'a-killed-worker',
        'a-refusal',
        'a-repaired-history',
        'a-terminated-run',
        'an-answer',
        'an-open-run',
        'hooks-of-all-moments',
        'the-iteration-limit',
        'tools-in-order',
        'tools-of-all-kinds',
      ]),
    );
  });

  it.each(files)('%s replays with this build', async (name) => {
    const recorded = fromHistoryFile(await readFile(new URL(name, folder), 'utf8'), name);
    const verdict = await replayRun(recorded, { bundle: sharedBundle() });
    expect(verdict).toMatchObject({ ok: true });
    expect(verdict.states.length).toBeGreaterThan(0);
  });
});
