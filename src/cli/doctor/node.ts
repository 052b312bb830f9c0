/** Whether this Node is new enough. */
import { nodeProblem } from '../node-version.ts';
import type { Finding } from './finding.ts';
import { ok, problem } from './finding.ts';

/** @param version as in `process.versions.node` */
export function nodeFinding(version: string): Finding {
  const what = nodeProblem(version);
  return what === undefined
    ? ok('node', `Node ${version}`)
    : problem('node', what, 'install a newer Node, such as the current LTS release');
}
