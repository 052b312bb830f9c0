/** Whether Temporal's packages are there once, in one version, with one protobufjs. */
import { readFileSync, realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Finding } from './finding.ts';
import { ok, problem } from './finding.ts';

/** An installed package. */
export interface PackageCopy {
  readonly name: string;
  readonly version: string;
  /** Its folder, as people know it. */
  readonly path: string;
}

/** What a project's code may import; these import the rest. */
const entries = ['common', 'proto', 'worker', 'client', 'workflow', 'activity', 'testing'];

/** The major version that these packages need: their types are its own. */
const protobufMajor = '8';

/** Folder of Everloop's own package. */
const ownFolder = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Every copy of `@temporalio/*` that the project's code or Everloop's own gets when it imports one, and every copy of
 * `protobufjs` that one of those gets.
 */
export function gatherPackages(project: string, places = [project, ownFolder]): PackageCopy[] {
  const copies = new Map<string, PackageCopy>();
  const visit = (name: string, importer: string) => {
    const manifest = manifestOf(name, importer);
    if (manifest === undefined || copies.has(manifest)) return;
    const { version, dependencies } = readManifest(manifest);
    copies.set(manifest, { name, version, path: relative(project, dirname(manifest)) });
    for (const dependency of dependencies) {
      const isWatched = dependency === 'protobufjs' || dependency.startsWith('@temporalio/');
      if (name !== 'protobufjs' && isWatched) visit(dependency, manifest);
    }
  };
  for (const place of places) {
    for (const entry of entries) visit(`@temporalio/${entry}`, join(place, 'package.json'));
  }
  return [...copies.values()];
}

function manifestOf(name: string, importer: string): string | undefined {
  try {
    const found = findPackageJSON(name, importer);
    return found === undefined ? undefined : realpathSync(found);
  } catch {
    // Not installed: whoever imports it says so.
    return undefined;
  }
}

function readManifest(path: string): { version: string; dependencies: string[] } {
  const manifest: { version?: unknown; dependencies?: unknown; peerDependencies?: unknown } =
    JSON.parse(readFileSync(path, 'utf8'));
  return {
    version: String(manifest.version),
    dependencies: [manifest.dependencies, manifest.peerDependencies].flatMap((names) =>
      Object.keys(Object(names)),
    ),
  };
}

/** Judges the copies. */
export function packageFindings(copies: readonly PackageCopy[]): Finding[] {
  const byName = Map.groupBy(copies, ({ name }) => name);
  const protobuf = byName.get('protobufjs') ?? [];
  byName.delete('protobufjs');
  return [protobufFinding(protobuf), temporalFinding(byName)];
}

/** One copy's message types are refused by another's. */
function protobufFinding(copies: readonly PackageCopy[]): Finding {
  const [only, ...more] = copies;
  const fix = `put protobufjs into the project itself, so that all share it: npm install protobufjs@^${protobufMajor}; then see npm ls protobufjs`;
  if (only === undefined) return problem('packages', 'protobufjs is not installed', fix);
  if (more.length > 0) {
    const what = `Temporal's packages get ${copies.length} copies of protobufjs (${places(copies)}): replays of files and large payloads fail with "type must be a Type"`;
    return problem('packages', what, fix);
  }
  return only.version.startsWith(`${protobufMajor}.`)
    ? ok('packages', `one copy of protobufjs, ${only.version}`)
    : problem(
        'packages',
        `Temporal's packages get protobufjs ${only.version} and need ${protobufMajor}`,
        fix,
      );
}

function temporalFinding(byName: ReadonlyMap<string, readonly PackageCopy[]>): Finding {
  const doubled = [...byName].filter(([, copies]) => copies.length > 1);
  const versions = new Set([...byName.values()].flat().map(({ version }) => version));
  const fix =
    'use the versions that everloop uses, or leave them to it; then npm dedupe, and see npm ls @temporalio/common';
  if (byName.size === 0) {
    return problem('packages', "Temporal's packages are not installed", 'run npm install');
  }
  if (doubled.length > 0) {
    const which = doubled.map(([name, copies]) => `${name} (${places(copies)})`).join(', ');
    return problem('packages', `installed more than once: ${which}`, fix);
  }
  return versions.size === 1
    ? ok('packages', `one copy of each of ${byName.size} @temporalio packages, ${[...versions][0]}`)
    : problem('packages', `@temporalio packages of several versions: ${listed(byName)}`, fix);
}

function places(copies: readonly PackageCopy[]): string {
  return copies.map(({ version, path }) => `${version} in ${path}`).join(', ');
}

function listed(byName: ReadonlyMap<string, readonly PackageCopy[]>): string {
  return [...byName.values()]
    .flat()
    .map(({ name, version }) => `${name} ${version}`)
    .join(', ');
}
