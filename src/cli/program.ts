/** All commands, and what they share. */
import { createRequire } from 'node:module';
import { Command } from 'commander';
import type { Config } from '../config.ts';
import { addAnswer } from './answer.ts';
import { addApprove } from './approve.ts';
import { addBlobs } from './blobs.ts';
import { addCancel } from './cancel.ts';
import { addCheckUpgrade } from './check-upgrade.ts';
import { addCompletion } from './completion.ts';
import { addDemo } from './demo.ts';
import { addDeny } from './deny.ts';
import { addDev } from './dev.ts';
import { addDiff } from './diff.ts';
import { addDoctor } from './doctor.ts';
import { addExport } from './export.ts';
import { addExtendBudget } from './extend-budget.ts';
import { addFork } from './fork.ts';
import { addInit } from './init.ts';
import { addLs } from './ls.ts';
import { addOrphans } from './orphans.ts';
import { addPause } from './pause.ts';
import { addReplay } from './replay.ts';
import { addResume } from './resume.ts';
import { addRetry } from './retry.ts';
import { addRewind } from './rewind.ts';
import { addRun } from './run.ts';
import { addSend } from './send.ts';
import { addSetup } from './setup.ts';
import { addShow } from './show.ts';
import { addStart } from './start.ts';
import type { Terminal } from './terminal.ts';
import { addTerminate } from './terminate.ts';
import { addWatch } from './watch.ts';
import { addWorker } from './worker.ts';

/** What a command is given. */
export interface Cli {
  readonly terminal: Terminal;
  /**
   * The project's configuration, read and checked.
   * @throws ConfigurationError
   */
  config(): Promise<Config>;
  /** Sets the exit code of a command that ends without an error. */
  exitWith(code: number): void;
}

/** The program, ready to parse arguments. */
export interface Program {
  /** Runs the command that the arguments name. Rejects with what it throws, or with a CommanderError. */
  parse(args: readonly string[]): Promise<void>;
  readonly exitCode: number;
}

/**
 * Puts the program together. A command's file is loaded with the program, so it imports what takes long to load
 * inside its action: help and wrong usage are told at once.
 */
export function createProgram(terminal: Terminal): Program {
  let exitCode = 0;
  const root = new Command('everloop')
    .description('Durable AI agents on Temporal.')
    .version(packageVersion(), '-V, --version')
    .option('--config <file>', 'configuration file (default: everloop.config.ts of this folder)')
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    });
  const cli: Cli = {
    terminal,
    async config() {
      const { loadConfig } = await import('../config.ts');
      const { config: file } = root.opts<{ config?: string }>();
      const { directory, env } = terminal;
      return await loadConfig({ directory, env, ...(file !== undefined && { file }) });
    },
    exitWith(code) {
      exitCode = code;
    },
  };
  for (const add of commands) add(root, cli);
  return {
    async parse(args) {
      await root.parseAsync(args, { from: 'user' });
    },
    get exitCode() {
      return exitCode;
    },
  };
}

/** In the order in which help lists them. */
const commands: readonly ((root: Command, cli: Cli) => void)[] = [
  addDev,
  addDemo,
  addRun,
  addStart,
  addLs,
  addOrphans,
  addShow,
  addWatch,
  addSend,
  addApprove,
  addDeny,
  addAnswer,
  addPause,
  addResume,
  addExtendBudget,
  addFork,
  addRewind,
  addRetry,
  addCancel,
  addTerminate,
  addExport,
  addDiff,
  addReplay,
  addCheckUpgrade,
  addWorker,
  addBlobs,
  addSetup,
  addDoctor,
  addInit,
  addCompletion,
];

function packageVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('../../package.json');
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isManifest ? String(manifest.version) : '';
}
