/** The folder `.everloop/` of a project: where the embedded engine keeps its things. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Absolute paths of what is in a project's `.everloop/`. */
export interface ProjectDirectory {
  readonly path: string;
  /** The embedded server's SQLite database. */
  readonly databaseFile: string;
  /** The running engine, see `EngineState`. */
  readonly stateFile: string;
  /** The embedded server's warnings and errors. */
  readonly logFile: string;
  readonly blobs: string;
}

/** The paths for a project; nothing is made. */
export function projectDirectory(project: string): ProjectDirectory {
  const path = join(project, '.everloop');
  return {
    path,
    databaseFile: join(path, 'temporal.db'),
    stateFile: join(path, 'state.json'),
    logFile: join(path, 'temporal.log'),
    blobs: join(path, 'blobs'),
  };
}

/** Makes the folder, with a note that keeps it out of version control. */
export async function makeProjectDirectory(directory: ProjectDirectory): Promise<void> {
  await mkdir(directory.blobs, { recursive: true });
  await writeFile(join(directory.path, '.gitignore'), '*\n');
}
