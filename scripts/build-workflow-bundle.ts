/** Writes the Workflow code of the built package as one file, so that a Worker starts without a bundler. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflows } from '../src/engine/workflow-bundle.ts';

const dist = new URL('../dist/', import.meta.url);
const { code } = await bundleWorkflows(fileURLToPath(new URL('workflows/index.js', dist)));
await writeFile(new URL('workflow-bundle.js', dist), code);
