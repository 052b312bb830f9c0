/** Puts the Activities of a Worker together, under their frozen public names. */

import type { CallModelDependencies } from './call-model.ts';
import { createCallModel } from './call-model.ts';
import type { ResolveAgentDependencies } from './resolve-agent.ts';
import { createResolveAgent } from './resolve-agent.ts';
import type { RestoreStateDependencies } from './restore-state.ts';
import { createRestoreState } from './restore-state.ts';
import type { RunHookDependencies } from './run-hook.ts';
import { createRunHook } from './run-hook.ts';
import type { RunToolDependencies } from './run-tool.ts';
import { createRunTool } from './run-tool.ts';
import type { SealTranscriptDependencies } from './seal-transcript.ts';
import { createSealTranscript } from './seal-transcript.ts';

export type ActivityDependencies = CallModelDependencies &
  RunToolDependencies &
  ResolveAgentDependencies &
  SealTranscriptDependencies &
  RestoreStateDependencies &
  RunHookDependencies;

export function createActivities(dependencies: ActivityDependencies) {
  return {
    everloopResolveAgent: createResolveAgent(dependencies),
    everloopCallModel: createCallModel(dependencies),
    everloopRunTool: createRunTool(dependencies),
    everloopRunHook: createRunHook(dependencies),
    everloopSealTranscript: createSealTranscript(dependencies),
    everloopRestoreState: createRestoreState(dependencies),
  };
}
