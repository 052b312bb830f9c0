/** What a command loads before it knows that there is something to do. */
import { expect, it } from 'vitest';
import { makeProject } from './cli.ts';

/** Writes the address of every module that the program loads on stderr. */
const tracer = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      process.stderr.write('loaded ' + resolved.url + '\\n');
      return resolved;
    },
  });
`;

it.each([
  [['--help'], 0],
  [['run', '--help'], 0],
  [['--version'], 0],
  [['frobnicate'], 2],
  [['show', 'r', '--at', 'end'], 2],
])('%j is answered without a Temporal or provider SDK', async (args, code) => {
  const project = await makeProject({ 'tracer.mjs': tracer });
  project.env['NODE_OPTIONS'] = '--import=./tracer.mjs';
  const ended = await project.run(...args);
  expect(ended.code).toBe(code);
  const loaded = ended.stderr.split('\n').filter((line) => line.startsWith('loaded '));
  expect(loaded.filter((line) => line.includes('/src/cli/'))).not.toEqual([]);
  expect(loaded.filter((line) => /\/node_modules\/(@temporalio|openai|zod)\//.test(line))).toEqual(
    [],
  );
});
