/** The settings of the embedded Temporal server: what makes it durable, fast and ready for Everloop. */
import { everloopSearchAttributes } from './search-attributes.ts';

/** Closed runs stay replayable for three months; the server's own default is a day. */
export const retention = '90 days';

/**
 * SQLite settings that cost nothing in durability against a killed process: with them one iteration
 * of a bare loop on a file takes 30 ms instead of 64.
 */
const sqlitePragmas = [
  // Readers and the writer do not block one another, and a commit is one append.
  'journal_mode=wal',
  // Syncs at checkpoints, not at each commit: a power cut may undo the last commits, a crash none.
  'synchronous=normal',
] as const;

/** Dynamic configuration; the values are JSON. */
const dynamicConfig: Readonly<Record<string, string>> = {
  // The default of 20 a second delivers tasks on a 50 ms grid, for the dev server has one shard:
  // 100 ms per iteration instead of 26.
  'history.transferProcessorMaxPollRPS': '5000',
  // The same grid for timers and retries.
  'history.timerProcessorMaxPollRPS': '5000',
  // With the default of 1, Queries stall for 2 to 20 s while Signals arrive; with 100, p95 is 60 ms.
  'history.MaxBufferedQueryCount': '100',
  // By default each timer below a second takes a whole one.
  'history.timerProcessorMaxTimeShift': '"1ms"',
  // These two together: a cancel is pushed to the Activity in 21 to 42 ms instead of answering its
  // next heartbeat.
  'frontend.WorkerCommandsEnabled': 'true',
  'system.enableCancelActivityWorkerCommand': 'true',
};

/** What differs from one embedded server to the next. */
export interface DevServerPlace {
  readonly databaseFile: string;
  readonly port: number;
  /** Port of the Temporal UI, or none. */
  readonly ui: number | false;
  readonly namespace: string;
}

/** Only this machine may connect: the server asks nobody for a key. */
export const devServerHost = '127.0.0.1';

/** The command line after `temporal`. */
export function devServerArguments({
  databaseFile,
  port,
  ui,
  namespace,
}: DevServerPlace): string[] {
  return [
    ...['server', 'start-dev'],
    ...['--ip', devServerHost, '--port', String(port)],
    ...(ui === false ? ['--headless'] : ['--ui-port', String(ui)]),
    ...['--namespace', namespace],
    ...['--db-filename', databaseFile],
    // Errors and warnings are for the log file; the rest is a line per task.
    ...['--log-level', 'warn'],
    ...sqlitePragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]),
    ...Object.entries(dynamicConfig).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${value}`,
    ]),
    ...everloopSearchAttributes.flatMap(({ name }) => ['--search-attribute', `${name}=Keyword`]),
  ];
}
