/** The floor: an agent loop written by hand, as short as it can be without being careless. */
import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { FloorActivities } from './activities.ts';

const options = {
  heartbeatTimeout: '5 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} as const;
const backoff = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '1 minute',
} as const;

const { floorCallModel } = proxyActivities<FloorActivities>({
  ...options,
  startToCloseTimeout: '1 hour',
  retry: { ...backoff, maximumAttempts: 66 },
});
const { floorRunTool } = proxyActivities<FloorActivities>({
  ...options,
  startToCloseTimeout: '1 minute',
  retry: { ...backoff, maximumAttempts: 5 },
});

/** Model, tools, model, … until the model asks for no tool or the iterations are used up. */
export async function floorAgentRun(input: string, maxIterations: number): Promise<string> {
  let upTo = 2; // instructions and input
  let append: string[] = [];
  for (let iteration = 1; iteration <= maxIterations; iteration += 1) {
    const first = iteration === 1 ? { input } : {};
    const { message } = await floorCallModel({ upTo, append, ...first });
    const calls = message.parts.flatMap((part) =>
      part.kind === 'tool_call' ? [part.toolCall] : [],
    );
    if (calls.length === 0) return 'completed';
    await Promise.all(calls.map((call) => floorRunTool({ call })));
    upTo += append.length + 1;
    append = calls.map((call) => call.id);
  }
  return 'max_iterations';
}
