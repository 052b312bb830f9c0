/** Temporal's native runtime, one per process: where it logs, and that it leaves signals to us. */
import type { Logger, LogLevel } from '@temporalio/worker';
import { DefaultLogger, Runtime } from '@temporalio/worker';

/**
 * Installs the runtime; to be called before the first Worker or Worker connection of the process.
 * Whoever starts a Worker decides what a signal means, so the runtime's own handlers are off; and native
 * code must not write to standard output, which belongs to results.
 */
export function installRuntime(
  level: LogLevel = 'WARN',
  logger: Logger = new DefaultLogger(level),
): void {
  Runtime.install({
    logger,
    shutdownSignals: [],
    telemetryOptions: { logging: { forward: {}, filter: { core: level, other: 'ERROR' } } },
  });
}
