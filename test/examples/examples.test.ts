/** The examples are programs that assert; here they run as they are. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';

const folder = new URL('../../examples/', import.meta.url);

/** What each program prints when all it asserts holds. */
const said = {
  'approvals.ts': 'paid: 50, 250',
  'ask-user.ts': 'Painted it green.',
  'cancel.ts': 'The run was cancelled.',
  'crash.ts': 'killed once, paid once each',
  'events.ts': '16 events, none missed and none twice',
  'fallback.ts': 'the second model answered',
  'hello.ts': 'Take your sunglasses to Lisbon.',
  'hooks.ts': 'one call run, one refused',
  'large-results.ts': 'Line 50,000 is well.',
  'messages.ts': 'I have read 3 messages.',
  'own-worker.ts': '6 words',
  'pause.ts': 'stood still after iteration 1, then: All done.',
  'replay.ts': '5 states, all as recorded',
  'steering.ts': 'changed course twice',
  'sub-agents.ts': '2 sub-agents, 4 model calls in all',
  'wrappers.ts': '2 at once at most',
};
/** Modules that programs load. */
const parts = ['crash-agents.ts', 'own-workflows.ts'];

it.each(Object.entries(said))('%s does what it asserts', async (name, line) => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL(name, folder)),
    inject('temporalAddress'),
  ]);
  expect(stdout).toBe(`${line}\n`);
});

it('runs every example there is', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  expect(files.toSorted()).toEqual([...Object.keys(said), ...parts].toSorted());
});
