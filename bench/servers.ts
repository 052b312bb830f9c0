/** The Temporal servers that are measured on, each on a database file of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevServer } from '../src/engine/dev-server.ts';
import type { DevServerPlace } from '../src/engine/dev-server-settings.ts';
import { devServerArguments, devServerHost } from '../src/engine/dev-server-settings.ts';
import { findTemporalCli } from '../src/engine/find-temporal-cli.ts';
import { everloopSearchAttributes } from '../src/engine/search-attributes.ts';

/**
 * `tuned`: the embedded server as Everloop starts it. `without-push`: the same, but cancels wait for a
 * heartbeat. `stock`: the CLI's dev server as it comes, on a file.
 */
export type ServerKind = 'tuned' | 'without-push' | 'stock';

/** A running server and its folder; `stop` ends the one and removes the other. */
export interface BenchServer {
  readonly address: string;
  stop(): Promise<void>;
}

/** Settings that push a cancel to the Worker. */
const pushSettings = [
  'frontend.WorkerCommandsEnabled=true',
  'system.enableCancelActivityWorkerCommand=true',
];

const commandLine: Readonly<Record<ServerKind, (place: DevServerPlace) => string[]>> = {
  tuned: devServerArguments,
  'without-push': (place) => withoutSettings(devServerArguments(place), pushSettings),
  stock: ({ databaseFile, port }) => [
    ...['server', 'start-dev', '--headless'],
    ...['--ip', devServerHost, '--port', String(port), '--db-filename', databaseFile],
    // Not a matter of speed: Everloop's runs carry them.
    ...everloopSearchAttributes.flatMap(({ name }) => ['--search-attribute', `${name}=Keyword`]),
  ],
};

/** Starts a server. It dies with this process. */
export async function startServer(kind: ServerKind): Promise<BenchServer> {
  const cli = await findTemporalCli({ env: process.env });
  const folder = await mkdtemp(join(tmpdir(), `everloop-bench-${kind}-`));
  const server = await startDevServer({
    cli,
    databaseFile: join(folder, 'temporal.db'),
    commandLine: commandLine[kind],
  });
  return {
    address: server.address,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The arguments without the dynamic configuration values named.
 * @throws Error when one of them is not there: then nothing would be measured
 */
export function withoutSettings(args: readonly string[], settings: readonly string[]): string[] {
  return settings.reduce<string[]>(
    (left, setting) => {
      const at = left.indexOf(setting);
      if (at < 1) throw new Error(`the server is not started with ${setting}`);
      return left.toSpliced(at - 1, 2);
    },
    [...args],
  );
}
