/** Temporal's native runtime as the commands want it: it leaves signals to them, and stdout to their results. */
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Terminal } from './terminal.ts';
import { printable, writeNote } from './terminal.ts';

let installed = false;

/** Installs the one runtime of this process; what it warns of is said only if asked for. */
export function installRuntime(terminal: Terminal, warnings = false): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      if (!warnings && !terminal.env['EVERLOOP_DEBUG']) return;
      const error = meta?.['error'];
      const why = error instanceof Error ? `: ${error.message.split('\n', 1)[0]}` : '';
      const { activityId, workflowId } = { activityId: '', workflowId: '', ...meta };
      const place = [workflowId, activityId].filter((id) => id !== '').join(' ');
      writeNote(terminal, printable(`${level.toLowerCase()}: ${message}${why} ${place}`.trim()));
    }),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
  });
}
