/** Looks at other processes by their ids. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The command line of a running process, or an empty text when there is none. */
export async function commandOf(pid: number): Promise<string> {
  try {
    // Empty for a process that has ended and whose parent has not asked how.
    return await readFile(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // No /proc on this system, or the process is gone; then `ps` does not know it either.
    const ps = promisify(execFile)('ps', ['-ww', '-o', 'args=', '-p', String(pid)]);
    return await ps.then(
      ({ stdout }) => stdout.trim(),
      () => '',
    );
  }
}

/** Whether a process with this id is running; an ended one that nobody has reaped is not. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await commandOf(pid)) !== '';
}
