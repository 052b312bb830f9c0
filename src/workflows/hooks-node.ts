/** Asks the hooks of a moment, outside model and tool calls, and applies what they change. */
import { ApplicationFailure, CancellationScope, TemporalFailure } from '@temporalio/workflow';
import type { AgentSpec, HookSpec } from '../loop/agent-spec.ts';
import { isHookResult } from '../loop/call-results.ts';
import { failureType } from '../loop/failure-types.ts';
import type { HookInput, HookView } from '../loop/hook-changes.ts';
import type { HookMoment } from '../loop/hook-moment.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { hookActivityId } from '../loop/message-ids.ts';
import { toAdvance } from '../loop/to-advance.ts';
import { hookOptions, localHooks, nodes } from './activities.ts';
import type { Run } from './run.ts';
import { withinGrace } from './within-grace.ts';

/** What the moment asks about, beside the run itself. */
export type About = Pick<HookInput, 'calls' | 'results' | 'boundary' | 'stopped'>;

/** Whether the agent has a hook for the moment: without one nothing is asked, recorded or waited for. */
export function hasHook({ state: { agent } }: Run, moment: HookMoment): boolean {
  return hooksFor(agent, moment).length > 0;
}

/** What hooks are told of the run, if the agent has any for one of the moments. */
export function viewFor(
  { agent, usage, metadata }: LoopState,
  ...moments: readonly HookMoment[]
): HookView | undefined {
  const asked = agent?.hooks?.filter((hook) =>
    moments.some((moment) => hook.moments.includes(moment)),
  );
  if (asked === undefined || asked.length === 0) return undefined;
  return { usage, metadata, hooks: asked.map(({ name }) => name) };
}

/**
 * Asks all hooks for the moment.
 * @throws ActivityFailure when one failed for good: it ends the run
 */
export async function askHooks(run: Run, moment: HookMoment, about: About = {}): Promise<void> {
  const { agent } = run.state;
  const isAsked = moment === 'onToolStart' || hasHook(run, moment);
  if (agent === undefined || !isAsked) return;
  const asking = ask(run, agent, moment, about);
  const answer = await withinGrace(run, asking, (result) => ({ result }));
  run.noteCancellation();
  if (answer !== undefined) take(run, moment, answer.result);
}

/** The hooks at the end are asked whatever ended the run, and none of them keeps it from ending. */
export async function askHooksAtEnd(run: Run, about: About): Promise<void> {
  const { agent } = run.state;
  if (agent === undefined || !hasHook(run, 'onEnd')) return;
  try {
    const asking = () => ask(run, agent, 'onEnd', about);
    take(run, 'onEnd', await CancellationScope.nonCancellable(asking));
  } catch (error) {
    if (!(error instanceof TemporalFailure)) throw error;
  }
}

async function ask(run: Run, agent: AgentSpec, moment: HookMoment, about: About): Promise<unknown> {
  const { iteration, usage, metadata } = run.state;
  // Without a hook it is a tool's own predicate that is asked.
  const view = viewFor(run.state, moment) ?? { usage, metadata, hooks: [] };
  // What is told at the end must stand in history, and the answer alone would not say it.
  const isLocal = moment !== 'onEnd' && hasHook(run, moment) && isHookLocal(agent, moment);
  const input: HookInput = {
    ...toAdvance(run.state),
    agent: agent.name,
    moment,
    view,
    ...about,
  };
  run.now();
  if (isLocal) return await localHooks.everloopRunHook(input);
  run.apply({ type: 'told' });
  const activityId = hookActivityId(iteration, moment, about.calls?.[0]?.id);
  return await nodes.everloopRunHook.executeWithOptions(hookOptions(agent, activityId), [input]);
}

function take(run: Run, moment: HookMoment, result: unknown): void {
  if (!isHookResult(result)) {
    throw ApplicationFailure.create({
      type: failureType.hookFailed,
      message: `The hooks for ${moment} were answered with something that is no answer of hooks.`,
      nonRetryable: true,
    });
  }
  // Asked inside a Workflow task, the question is told by its answer alone.
  if (result.advance !== undefined) run.apply({ type: 'told' });
  run.apply({ type: 'hooks-asked', at: run.now(), result });
}

/** Whether every hook for the moment, if there is any, may be asked inside a Workflow task. */
export function isHookLocal(agent: AgentSpec, moment: HookMoment): boolean {
  return hooksFor(agent, moment).every((hook) => hook.local === true);
}

function hooksFor(agent: AgentSpec | undefined, moment: HookMoment): readonly HookSpec[] {
  return agent?.hooks?.filter(({ moments }) => moments.includes(moment)) ?? [];
}
