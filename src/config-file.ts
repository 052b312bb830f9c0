/** Finds and imports a project's configuration file. */
import { access } from 'node:fs/promises';
import { basename, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ConfigurationProblem } from './everloop-error.ts';

const fileNames = ['everloop.config.ts', 'everloop.config.js', 'everloop.config.mjs'];

/** A configuration file: where it is, and how people are told of it. */
export interface ConfigFile {
  readonly path: string;
  readonly name: string;
}

/** The file of `directory`; undefined when it has none, `missing` when `file` was asked for and is not there. */
export async function findConfigFile(
  directory: string,
  file?: string,
): Promise<ConfigFile | 'missing' | undefined> {
  for (const name of file === undefined ? fileNames : [file]) {
    const path = resolve(directory, name);
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return { path, name };
  }
  return file === undefined ? undefined : 'missing';
}

/** What a file exports as its default, or why it cannot be had. */
export type ImportedConfigFile =
  | { readonly exported: unknown; readonly problem?: undefined }
  | { readonly problem: ConfigurationProblem };

/** Imports the file, as TypeScript with Node's own type stripping. Never throws. */
export async function importConfigFile({ path, name }: ConfigFile): Promise<ImportedConfigFile> {
  let exports: unknown;
  try {
    exports = await import(pathToFileURL(path).href);
  } catch (error) {
    return { problem: { where: placeOf(error, path, name), what: reasonOf(error) } };
  }
  if (typeof exports !== 'object' || exports === null || !('default' in exports)) {
    const what = 'has no default export: write `export default defineConfig({ … })`';
    return { problem: { where: name, what } };
  }
  return { exported: exports.default };
}

/** The line of the file that threw, where the stack tells it. */
function placeOf(error: unknown, path: string, name: string): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  for (const place of [pathToFileURL(path).href, path]) {
    const at = stack.indexOf(`${place}:`);
    const line = at < 0 ? undefined : /^\d+/.exec(stack.slice(at + place.length + 1))?.[0];
    if (line !== undefined) return `${name}:${line}`;
  }
  return name;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${String(error)}`;
  const [line = ''] = error.message.trim().split('\n');
  const text = line.replaceAll(/file:\/\/\S+/g, (url) => shortened(url));
  if (/outside a module|Unexpected token 'export'/.test(text)) {
    return `it is no ES module: ${text}; set "type": "module" in package.json`;
  }
  return error instanceof SyntaxError ? `it does not parse: ${text}` : `it threw: ${text}`;
}

function shortened(url: string): string {
  try {
    const path = fileURLToPath(url);
    const near = relative(process.cwd(), path);
    return near.startsWith('..') ? basename(path) : near;
  } catch {
    return url;
  }
}
