/** The Workflow bundle of a Worker that has Workflows of its own beside the agent run. */
import * as own from './own.ts';

export { everloopAgentRun } from './agent-run.ts';
// Nobody here knows the names: the owner of the Worker chooses them.
export * from './own.ts';

/** Temporal's Workflow for every other name, if the owner of the Worker has one; `export *` leaves it out. */
const otherwise: unknown = Reflect.get(own, 'default');
// biome-ignore lint/style/noDefaultExport: Temporal looks for it under this name
export default otherwise;
