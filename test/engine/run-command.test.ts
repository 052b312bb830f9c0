import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { isRunning } from '../../src/engine/process-command.ts';
import { runCommand } from '../../src/engine/run-command.ts';
import { temporaryFolder } from './temporary-folder.ts';

const env = { PATH: '/bin:/usr/bin' };

it('gives what the program printed', async () => {
  expect(await runCommand('sh', ['-c', 'echo out'], { env, timeoutMs: 10_000 })).toEqual({
    status: 'succeeded',
    output: 'out\n',
  });
});

it('gives the exit code and the last line of a program that failed', async () => {
  const script = 'echo one; echo two >&2; exit 7';
  expect(await runCommand('sh', ['-c', script], { env, timeoutMs: 10_000 })).toEqual({
    status: 'failed',
    why: 'exit code 7: two',
  });
});

it('fails for a program that is not there', async () => {
  const result = await runCommand('no-such-program', [], { env, timeoutMs: 10_000 });
  expect(result).toEqual({ status: 'failed', why: expect.stringContaining('ENOENT') });
});

it('kills a program that takes too long, with what it started', async () => {
  const folder = await temporaryFolder();
  const pidFile = join(folder, 'pid');
  const script = `sleep 600 & echo $! > ${pidFile}; wait`;
  const result = await runCommand('sh', ['-c', script], { env, timeoutMs: 500 });
  expect(result).toEqual({ status: 'failed', why: 'not done within 0.5 s' });
  const pid = Number(await readFile(pidFile, 'utf8'));
  await vi.waitUntil(async () => !(await isRunning(pid)));
});
