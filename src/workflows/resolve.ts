/** Turns the name of the run's agent into data. */
import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import { failureType } from '../loop/failure-types.ts';
import { isPointArgument } from '../loop/read-input.ts';
import type { AgentRunInput } from '../loop/run-input.ts';
import { resolveAnywhere, resolveHere } from './activities.ts';
import type { Run } from './run.ts';

/**
 * Resolves the agent, and has the run's input checked whole; a Worker that does not know the agent leaves the
 * question to the others.
 * @throws ApplicationFailure or ActivityFailure when the input is not valid: it ends the run
 */
export async function resolveAgent(run: Run, argument: AgentRunInput): Promise<void> {
  const { agent, options, budget } = run.state.start;
  const wanted = {
    agent,
    ...(options !== undefined && { options }),
    ...(budget !== undefined && { budget }),
  };
  const resolved = resolveHere.everloopResolveAgent({
    ...wanted,
    ...(!isPointArgument(argument) && { argument }),
  });
  const spec = await resolved.catch((error: unknown) => {
    if (!isUnknownAgent(error)) throw error;
    return resolveAnywhere.everloopResolveAgent.executeWithOptions(
      { activityId: 'resolve', startToCloseTimeout: '10 seconds', summary: `agent ${agent}` },
      [wanted],
    );
  });
  run.apply({ type: 'agent-resolved', agent: spec });
}

function isUnknownAgent(error: unknown): boolean {
  // A local Activity rejects with the failure itself, a normal one wraps it.
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure && cause.type === failureType.unknownAgent;
}
