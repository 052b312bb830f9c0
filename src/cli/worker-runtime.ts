/** Temporal's native runtime as the commands want it: what it warns of goes to the terminal, and only if asked for. */
import { DefaultLogger } from '@temporalio/worker';
import { installRuntime } from '../engine/runtime.ts';
import type { Terminal } from './terminal.ts';
import { printable, writeNote } from './terminal.ts';

let installed = false;

/** Installs the one runtime of this process. */
export function installWorkerRuntime(terminal: Terminal, warnings = false): void {
  if (installed) return;
  installed = true;
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    if (!warnings && !terminal.env['EVERLOOP_DEBUG']) return;
    const error = meta?.['error'];
    const why = error instanceof Error ? `: ${error.message.split('\n', 1)[0]}` : '';
    const { activityId, workflowId } = { activityId: '', workflowId: '', ...meta };
    const place = [workflowId, activityId].filter((id) => id !== '').join(' ');
    writeNote(terminal, printable(`${level.toLowerCase()}: ${message}${why} ${place}`.trim()));
  });
  installRuntime('WARN', logger);
}
