/** The file that tells other commands where the running engine is. */
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { connectClient } from './connect.ts';
import { knock } from './ports.ts';
import { isRunning } from './process-command.ts';
import type { ProjectDirectory } from './project-directory.ts';

/** A running engine: the embedded server and what was started with it. */
export const EngineState = z.object({
  version: z.literal(1),
  /** `host:port` of the Temporal server. */
  address: z.string(),
  /** Process of the Temporal server. */
  pid: z.int().positive(),
  uiAddress: z.string().optional(),
  /** Base URL of Everloop's HTTP API, when one is served. */
  apiUrl: z.string().optional(),
  workerPids: z.array(z.int().positive()),
  /** The command that has started the engine and ends it, such as `dev`, and its process. */
  holder: z.object({ command: z.string(), pid: z.int().positive() }).optional(),
  startedAt: z.iso.datetime(),
});
/** A running engine: the embedded server and what was started with it. */
export type EngineState = z.infer<typeof EngineState>;

/** The command that has started an engine and ends it. */
export type EngineHolder = NonNullable<EngineState['holder']>;

/** A server on this machine that has not answered by then hangs, or is another program. */
const answerTimeoutMs = 5_000;

/** What the state file says, or nothing when there is none that can be understood. */
export async function readEngineState({
  stateFile,
}: ProjectDirectory): Promise<EngineState | undefined> {
  try {
    return EngineState.parse(JSON.parse(await readFile(stateFile, 'utf8')));
  } catch {
    // Missing, from another version or damaged: whoever starts the engine writes it anew.
    return undefined;
  }
}

/** Writes the state file whole: a reader sees the old state or the new one, never half of one. */
export async function writeEngineState(
  { stateFile }: ProjectDirectory,
  state: EngineState,
): Promise<void> {
  const draft = `${stateFile}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify(state, undefined, 2)}\n`);
  await rename(draft, stateFile);
}

/** Takes the state file away when the engine with process `pid` has stopped; another's stays. */
export async function removeEngineState(directory: ProjectDirectory, pid: number): Promise<void> {
  const state = await readEngineState(directory);
  if (state?.pid === pid) await rm(directory.stateFile, { force: true });
}

/** The state, if its server process is alive and a Temporal server answers at its address. */
export async function liveEngineState(
  directory: ProjectDirectory,
  deadlineMs: number = answerTimeoutMs,
): Promise<EngineState | undefined> {
  const state = await readEngineState(directory);
  if (state === undefined || !(await isRunning(state.pid))) return undefined;
  return (await answers(state.address, deadlineMs)) ? state : undefined;
}

async function answers(address: string, deadlineMs: number): Promise<boolean> {
  try {
    // gRPC would go on trying until the deadline where nothing listens.
    await knock(address);
    const { connection } = await connectClient({
      address,
      namespace: 'default',
      deadlineMs,
    });
    await connection.close();
    return true;
  } catch {
    return false;
  }
}
