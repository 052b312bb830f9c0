/** A Worker is killed (kill -9) between two payments: another one goes on, and nothing is paid twice. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killWorkerAt } from '../src/testing/index.ts';

const ledger = join(await mkdtemp(join(tmpdir(), 'everloop-example-')), 'ledger');
const [address] = process.argv.slice(2);
const { result, kills } = await killWorkerAt({
  module: new URL('./crash-agents.ts', import.meta.url),
  agent: 'payer',
  start: { input: 'Pay rent and power.' },
  at: { moment: 'model-start', nth: 2 },
  env: { EXAMPLE_LEDGER: ledger },
  ...(address !== undefined && { engine: { address } }),
});

assert.equal(kills.length, 1);
assert.equal(result.output, 'Everything is paid.');
assert.deepEqual((await readFile(ledger, 'utf8')).trim().split('\n'), ['rent', 'power']);
console.log('killed once, paid once each');
