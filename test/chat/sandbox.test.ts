/** What of the protocol runs inside Workflow code, where loading a module costs every run. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = resolve(import.meta.dirname, '../../src/chat');

/** Everything a module loads at run time: files by path, packages by name. */
function loads(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = readFileSync(file, 'utf8');
  for (const [, specifier = ''] of source.matchAll(
    /^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm,
  )) {
    if (specifier.startsWith('.')) loads(resolve(dirname(file), specifier), seen);
    else seen.add(specifier);
  }
  return seen;
}

describe('the chat protocol in a sandbox', () => {
  it.each([
    'text-of.ts',
    'usage-total.ts',
    'tool-input.ts',
    'check-sequencing.ts',
    'repair.ts',
    'to-message.ts',
    'create-message.ts',
    'create-tool-output.ts',
  ])('loads no schema with %s', (file) => {
    const packages = [...loads(resolve(folder, file))].filter((name) => !name.startsWith('/'));
    expect(packages).toEqual([]);
  });

  it('depends on nothing but the small build of zod', () => {
    const packages = [...loads(resolve(folder, 'index.ts'))].filter(
      (name) => !name.startsWith('/'),
    );
    expect(packages).toEqual(['zod/mini']);
  });
});
