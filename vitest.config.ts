import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/closing-line.reporter.ts';

/** Folders whose tests talk to a Temporal server; everything else runs without one. */
const onServer = ['workflows', 'client', 'cli', 'replay', 'testing', 'examples'];

export default defineConfig({
  test: {
    reporters: ['default', new ClosingLine()],
    pool: 'forks',
    // Most of a server test is waiting.
    maxWorkers: 3,
    teardownTimeout: 20_000,
    projects: [
      {
        test: {
          name: 'pure',
          include: ['test/**/*.test.ts'],
          exclude: onServer.map((folder) => `test/${folder}/**`),
          // Properties over thousands of runs, on whatever machine.
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'server',
          include: onServer.map((folder) => `test/${folder}/**/*.test.ts`),
          globalSetup: ['test/support/temporal.setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
