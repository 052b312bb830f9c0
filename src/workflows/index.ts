/** The Workflow bundle: what a Worker loads into the sandbox. Public as `everloop/workflow`. */
export { everloopAgentRun } from './agent-run.ts';
export { messages, pending, send, state, usage } from './messages.ts';
