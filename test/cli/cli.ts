/** The real program as a child process, in a project folder of its own. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { startHere } from './in-process.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const sources = new URL('../../src/', import.meta.url).href;

/** First lines of a configuration file: everything that the tests define agents with. */
export const imports = `
import { defineAgent } from '${sources}agents/define-agent.ts';
import { defineConfig } from '${sources}config.ts';
import { scriptedModel } from '${sources}models/scripted.ts';
import { defineTool } from '${sources}tools/define-tool.ts';
import { z } from '${import.meta.resolve('zod')}';
`;

/**
 * Commands that ask a server something and end: run in this process where the server is there already, because a
 * process for each takes seconds. The program as a process is tested with all others.
 */
const quickCommands: readonly string[] = [
  'blobs',
  'cancel',
  'diff',
  'export',
  'fork',
  'ls',
  'retry',
  'rewind',
  'send',
  'show',
  'start',
];

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that is under way. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when stdout or stderr has said `text`. */
  said(text: string): Promise<void>;
}

/** A project folder, and the variables of the commands that are run in it. */
export interface Project {
  readonly folder: string;
  readonly env: Record<string, string>;
  write(name: string, content: string | Uint8Array): Promise<void>;
  start(...args: string[]): Started;
  run(...args: string[]): Promise<Ended>;
  /** Runs a command with `input` on its standard input. */
  pipe(input: string | Uint8Array, ...args: string[]): Promise<Ended>;
}

/** Makes a project; its folder and every process started in it are gone when the test, or what `after` says, has finished. */
export async function makeProject(
  files: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
  after: (undo: () => Promise<void>) => unknown = onTestFinished,
): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'everloop-cli-'));
  const children: ChildProcess[] = [];
  after(async () => {
    for (const child of children) await end(child);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const { PATH = '', HOME = '', XDG_CACHE_HOME, EVERLOOP_TEMPORAL_CLI } = process.env;
  const project: Project = {
    folder,
    env: {
      PATH,
      HOME,
      ...(XDG_CACHE_HOME !== undefined && { XDG_CACHE_HOME }),
      ...(EVERLOOP_TEMPORAL_CLI !== undefined && { EVERLOOP_TEMPORAL_CLI }),
      ...env,
    },
    write: (name, content) => writeFile(join(folder, name), content),
    start(...args) {
      const child = spawn(process.execPath, [main, ...args], { cwd: folder, env: project.env });
      children.push(child);
      return watch(child);
    },
    run(...args) {
      return project.pipe('', ...args);
    },
    pipe(input, ...args) {
      const [command = ''] = args;
      const isQuick = env['TEMPORAL_ADDRESS'] !== undefined && quickCommands.includes(command);
      if (isQuick && typeof input === 'string') return startHere(project, args, { input }).ended;
      const { child, ended } = project.start(...args);
      child.stdin?.end(input);
      return ended;
    },
  };
  for (const [name, content] of Object.entries(files)) await project.write(name, content);
  return project;
}

function watch(child: ChildProcess): Started {
  let stdout = '';
  let stderr = '';
  let look = () => {};
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    look();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    look();
  });
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, stdout, stderr }));
  return {
    child,
    ended,
    async said(text) {
      const { promise, resolve } = Promise.withResolvers<void>();
      look = () => (stdout + stderr).includes(text) && resolve();
      look();
      const early = ended.then(() => {
        if ((stdout + stderr).includes(text)) return;
        throw new Error(`ended without saying ${text}:\n${stdout}\n${stderr}`);
      });
      await Promise.race([promise, early]);
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** The value that `look` finds, once it finds one. */
export async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await delay(20);
  }
}

/** Resolves when the provider has been asked. */
export async function untilAsked(provider: { calls(): readonly unknown[] }): Promise<void> {
  await until(async () => (provider.calls().length > 0 ? true : undefined));
}

/** The process of the project's own server. */
export async function serverPid({ folder }: Project): Promise<number> {
  const state: { pid: number } = JSON.parse(
    await readFile(join(folder, '.everloop', 'state.json'), 'utf8'),
  );
  return state.pid;
}
