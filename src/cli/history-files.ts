/** Finds the files of a folder that hold the history of a run. */

import { readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { isRecord } from '../chat/is-record.ts';
import { EverloopError } from '../everloop-error.ts';
import type { Terminal } from './terminal.ts';

/** Workflow type of a run. */
const workflowType = 'everloopAgentRun';
/** Folders whose JSON files are of programs. */
const skipped = new Set(['node_modules', '.git', '.everloop']);

/** A JSON file of the folder. */
export interface HistoryFile {
  /** Path from the folder that the command runs in. */
  readonly name: string;
  /** Its text; absent when it is no history of a run at all. */
  readonly text?: string;
}

/**
 * The JSON files of the folder and of those in it, by name.
 * @throws EverloopError `not_found` when there is no such folder, `invalid_input` when it or a file cannot be read
 */
export async function* historyFiles(
  { directory }: Terminal,
  folder: string,
): AsyncGenerator<HistoryFile, void, undefined> {
  for await (const path of jsonFiles(resolve(directory, folder), folder)) {
    const name = relative(directory, path);
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      throw unreadable(`the file ${name}`, error);
    });
    yield isHistory(text) ? { name, text } : { name };
  }
}

async function* jsonFiles(path: string, folder: string): AsyncGenerator<string, void, undefined> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') {
      throw new EverloopError('not_found', `there is no folder ${folder}`, {
        hint: 'write histories into one with: everloop export <run> --format history --out <file>',
        cause: error,
      });
    }
    throw unreadable(`the folder ${folder}`, error);
  });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name)) yield* jsonFiles(inner, join(folder, entry.name));
    } else if (/\.json$/i.test(entry.name)) {
      yield inner;
    }
  }
}

/**
 * Whether the text claims to be the history of a run. What is broken in it is no reason to pass it over: only JSON
 * of another kind is, and the history of another Workflow.
 */
function isHistory(text: string): boolean {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // A history that was cut off is one that cannot be read.
    return /"(?:events|histories)"/.test(text);
  }
  if (!isRecord(content)) return false;
  if (content['format'] === 'everloop-history' || 'histories' in content) return true;
  const { events } = content;
  if (!Array.isArray(events)) return false;
  const [first] = events;
  const started = isRecord(first) ? first['workflowExecutionStartedEventAttributes'] : undefined;
  const type = isRecord(started) ? started['workflowType'] : undefined;
  return !isRecord(type) || type['name'] === workflowType;
}

function unreadable(what: string, error: unknown): EverloopError {
  return new EverloopError('invalid_input', `${what} cannot be read`, {
    hint: `check its permissions (${codeOf(error) ?? error})`,
    cause: error,
  });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
