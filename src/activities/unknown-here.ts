/** The failures of a Worker that lacks what a run's record names. They are tried again: another Worker may have it. */
import { ApplicationFailure } from '@temporalio/common';
import { failureType } from '../loop/failure-types.ts';

/** This Worker has no agent of that name: it runs another configuration. */
export function unknownAgentHere(agent: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: failureType.unknownAgent,
    message: `This Worker has no agent ${agent}. The run waits for a Worker that has it.`,
  });
}

/** This Worker has the agent without that hook: going on would be going on without a guard. */
export function unknownHookHere(agent: string, hook: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: failureType.unknownHook,
    message: `This Worker has no hook ${hook} of agent ${agent}. The run waits for a Worker that has it.`,
  });
}
