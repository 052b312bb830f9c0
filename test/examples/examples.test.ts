/** The examples are programs that assert; here they run as they are. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';

it('hello runs an agent with a tool to its end', async () => {
  const program = fileURLToPath(new URL('../../examples/hello.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    inject('temporalAddress'),
  ]);
  expect(stdout).toBe('Take your sunglasses to Lisbon.\n');
});
