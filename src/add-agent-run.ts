/** Adds the agent run to a bundle of somebody's own Workflows. */
import { fileURLToPath } from 'node:url';
import type { BundleOptions } from '@temporalio/worker';

/** Sources run as they are (`.ts`), the package runs what was built of them (`.js`). */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));

/** Exports the agent run, and whatever stands in the place of {@link place}. */
const entry = fileURLToPath(new URL(`./workflows/with-own${extension}`, import.meta.url));
const place = fileURLToPath(new URL(`./workflows/own${extension}`, import.meta.url));

/**
 * The options of a bundle that exports everything in `workflowsPath` and `everloopAgentRun`. An alias puts the
 * file of `workflowsPath` behind an entry of the package, as the SDK does with payload converters: nothing is
 * written, so the same sources always make the same bundle.
 */
export function addAgentRun(options: BundleOptions): BundleOptions {
  const { workflowsPath, webpackConfigHook = (config) => config } = options;
  if (workflowsPath === entry) return options;
  return {
    ...options,
    workflowsPath: entry,
    webpackConfigHook(given) {
      const config = webpackConfigHook(given);
      // `$`: this very file, not a folder of that name.
      const alias = { ...config.resolve?.alias, [`${place}$`]: workflowsPath };
      return { ...config, resolve: { ...config.resolve, alias } };
    },
  };
}
