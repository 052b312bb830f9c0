/** Temporal's native runtime, one per process: what it logs, and that it leaves signals to us. */
import type { LogLevel } from '@temporalio/worker';
import { DefaultLogger, Runtime } from '@temporalio/worker';

/**
 * Installs the runtime; to be called before the first Worker or Worker connection of the process.
 * Whoever starts a Worker decides what a signal means, so the runtime's own handlers are off.
 */
export function installRuntime(level: LogLevel = 'WARN'): void {
  Runtime.install({
    logger: new DefaultLogger(level),
    shutdownSignals: [],
    telemetryOptions: { logging: { forward: {}, filter: { core: level, other: 'ERROR' } } },
  });
}
