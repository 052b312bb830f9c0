/** The Workflow bundle: what a Worker loads into the sandbox. Public as `everloop/workflow`. */
export type { RunResult } from '../loop/run-result.ts';
export { everloopAgentRun } from './agent-run.ts';
export type { ForkRunOptions, ForkSeed } from './fork-run.ts';
export { forkRun } from './fork-run.ts';
export {
  answer,
  decide,
  extendBudget,
  fork,
  messages,
  pause,
  pending,
  resume,
  send,
  state,
  usage,
} from './messages.ts';
export type { RunAgentOptions } from './run-agent.ts';
export { runAgent } from './run-agent.ts';
