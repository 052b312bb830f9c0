/** Resolves an agent's name into the data that its run records. */
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { AgentDefinition } from '../agents/define-agent.ts';
import { toAgentSpec } from '../agents/to-agent-spec.ts';
import { ChatError } from '../chat/chat-error.ts';
import { AgentSpec } from '../loop/agent-spec.ts';
import type { ResolveAgentInput } from '../loop/calls.ts';
import { failureType } from '../loop/failure-types.ts';
import { problemsOf } from '../loop/problems-of.ts';
import { StartArgument } from '../loop/run-input.ts';
import type { ModelPrices } from '../models/prices.ts';
import { priceOf } from '../models/prices.ts';
import { assertPriced } from './assert-priced.ts';
import { isRecordable } from './is-recordable.ts';

export interface ResolveAgentDependencies {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly heartbeatTimeoutMs: number;
  /** Prices that go before those that providers publish. */
  readonly prices?: ModelPrices;
}

/** Makes the Activity `everloopResolveAgent`. */
export function createResolveAgent({
  agents,
  heartbeatTimeoutMs,
  prices,
}: ResolveAgentDependencies) {
  return async (start: ResolveAgentInput): Promise<AgentSpec> => {
    if (start.argument !== undefined) checkArgument(start.argument);
    const agent = agents.get(start.agent);
    if (agent === undefined) throw unknownAgent(start.agent, [...agents.keys()]);
    try {
      const { options, budget } = start;
      const spec = toAgentSpec(start.agent, agent, {
        heartbeatTimeoutMs,
        ...(options !== undefined && { options }),
        priceOf: (model) => priceOf(model, prices),
      });
      assertPriced(spec, budget);
      return checked(spec);
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
      throw ApplicationFailure.create({
        type: failureType.invalidInput,
        message: `The options of this run do not fit agent ${start.agent}: ${error.path}: ${error.message}`,
        nonRetryable: true,
      });
    }
  };
}

/** Final where the question is put to this Worker alone; where it goes to all Workers, another may know the agent. */
function unknownAgent(name: string, known: readonly string[]): ApplicationFailure {
  const has = known.length === 0 ? 'It has no agents.' : `It has: ${known.join(', ')}.`;
  return ApplicationFailure.create({
    type: failureType.unknownAgent,
    message: `This Worker has no agent named ${name}. ${has} The run waits for a Worker that has it.`,
    nonRetryable: activityInfo().isLocal,
  });
}

/** The Workflow has looked at its argument only as far as it needed to. */
function checkArgument(argument: unknown): void {
  const parsed = StartArgument.safeParse(argument);
  if (parsed.success) return;
  throw ApplicationFailure.create({
    type: failureType.invalidInput,
    message: `The run's input is not valid: ${problemsOf(parsed.error, 'input')}`,
    nonRetryable: true,
  });
}

/** What is recorded of an agent must be readable, and small enough for history. */
function checked(spec: AgentSpec): AgentSpec {
  const parsed = AgentSpec.safeParse(spec);
  const problem = parsed.success ? undefined : problemsOf(parsed.error, spec.name);
  if (problem === undefined && isRecordable(spec)) return spec;
  throw ApplicationFailure.create({
    type: failureType.configuration,
    message: `Agent ${spec.name} cannot be run: ${problem ?? 'its instructions and tools are too large to be recorded'}`,
    nonRetryable: true,
  });
}
