import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import type { RecordedRun } from '../../src/replay/recorded-run.ts';
import { fromHistoryFile, toHistoryFile } from '../../src/replay/recorded-run.ts';
import { replayRun } from '../../src/replay/replay-run.ts';
import type { Harness } from '../support/harness.ts';
import { sharedBundle, startHarness } from '../support/harness.ts';

const model = scriptedModel([{ text: 'Done.' }]);
const agents = { speaker: defineAgent({ model, instructions: 'Speak.' }) };

let harness: Harness;
let run: RunHandle;
let recorded: RecordedRun;

beforeAll(async () => {
  harness = await startHarness({ agents });
  run = await harness.everloop.start('speaker', { input: 'Go.' });
  await run.result();
  recorded = await run.recorded();
});
afterAll(() => harness.stop());

describe('a history file', () => {
  it('holds the run, and replays as the run does', async () => {
    const text = toHistoryFile(recorded);
    const read = fromHistoryFile(text, 'run.json');
    expect(read.runId).toBe(run.id);
    expect(read.parts.map(({ events }) => events.length)).toEqual(
      recorded.parts.map(({ events }) => events.length),
    );
    expect(toHistoryFile(read)).toBe(text);
    const verdict = await replayRun(read, { bundle: sharedBundle() });
    expect(verdict).toMatchObject({ ok: true, iterations: 1 });
    expect(verdict).toEqual(await replayRun(recorded, { bundle: sharedBundle() }));
  });

  it('may be one that the CLI of Temporal wrote', async () => {
    const { histories } = JSON.parse(toHistoryFile(recorded));
    const read = fromHistoryFile(JSON.stringify({ events: histories[0].events }), 'mine.json');
    expect(await replayRun(read, { bundle: sharedBundle() })).toMatchObject({ ok: true });
  });

  it.each([
    ['{', /JSON/],
    ['{}', /no list of events/],
    ['{"events":[]}', /no list of events/],
    ['{"histories":[]}', /holds no history/],
    ['{"events":[{"eventId":"1"}]}', /Missing attributes/],
  ])('is refused when it is %s', (text, problem) => {
    expect(() => fromHistoryFile(text, 'mine.json')).toThrow(problem);
    expect(() => fromHistoryFile(text, 'mine.json')).toThrow(/mine\.json is no history of a run/);
  });
});
