/** Where an export goes: to standard output, or into a file that is whole or not there. */
import { lstat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { replaceFile } from '../abilities/file-tools/replace-file.ts';
import { EverloopError } from '../everloop-error.ts';
import type { Terminal } from './terminal.ts';

/** The file, and whether one that is there may be replaced. */
export interface ExportTarget {
  readonly file: string;
  readonly force: boolean;
}

/**
 * Refuses what must not be written, before anything is read.
 * @throws EverloopError `invalid_input` when the file is there and may not be replaced, or is no regular file
 */
export async function checkTarget(
  { directory }: Terminal,
  { file, force }: ExportTarget,
): Promise<void> {
  const stats = await lstat(resolve(directory, file)).catch(() => undefined);
  if (stats === undefined) return;
  if (!stats.isFile()) throw noFile(file);
  if (force) return;
  throw new EverloopError('invalid_input', `the file ${file} exists already`, {
    hint: 'choose another name, or replace it with --force',
  });
}

/**
 * Writes the text; a file has all of it or is as it was before.
 * @throws EverloopError `invalid_input` when the file cannot be written
 */
export async function writeExport(
  terminal: Terminal,
  text: string,
  target: ExportTarget | undefined,
): Promise<void> {
  if (target === undefined) {
    terminal.stdout.write(text);
    return;
  }
  // Somebody else may have made it meanwhile.
  await checkTarget(terminal, target);
  const path = resolve(terminal.directory, target.file);
  const isWritten = await replaceFile(dirname(path), basename(path), Buffer.from(text)).catch(
    (error: unknown) => {
      throw new EverloopError('invalid_input', `the file ${target.file} cannot be written`, {
        hint: `check its folder and permissions (${error instanceof Error && 'code' in error ? error.code : error})`,
        cause: error,
      });
    },
  );
  if (!isWritten) throw noFile(target.file);
}

function noFile(file: string): EverloopError {
  return new EverloopError('invalid_input', `${file} is there and is no regular file`, {
    hint: 'choose another name, or write to standard output without --out',
  });
}
