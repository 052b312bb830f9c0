/** Forks a run that is going on: each fork is a Workflow of its own, which stays when this one ends. */
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  defineSignal,
  log,
  ParentClosePolicy,
  setHandler,
  startChild,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { awaitingState } from '../loop/departure-states.ts';
import { failureType } from '../loop/failure-types.ts';
import type { ForkReceipt, ForkRequest } from '../loop/fork-request.ts';
import { forkProblem, newestForkPoint, toForkRequest } from '../loop/fork-request.ts';
import type { FromPoint } from '../loop/from-point.ts';
import { memoKey, toRunMemo } from '../loop/to-run-memo.ts';
import { utf8Length } from '../loop/utf8-length.ts';
import type { everloopAgentRun } from './agent-run.ts';
import { attribute } from './attribute.ts';
import { rejection, takeSignal } from './handle-controls.ts';
import { fork } from './messages.ts';
import type { Run } from './run.ts';
import { shortSummary } from './short-summary.ts';

/** The same by Signal, for clients without Updates: the forks are found by their attribute. */
const forkSignal = defineSignal<[ForkRequest]>('fork');

/** Registers the handlers. */
export function handleFork(run: Run): void {
  setHandler(fork, (payload) => startForks(run, payload), {
    validator: (payload) => validate(run, payload),
    description: 'Makes runs that go on from a message of this one.',
  });
  setHandler(forkSignal, (payload) => takeForkSignal(run, payload), {
    description: 'Makes runs that go on from a message of this one. Without an answer.',
  });
}

/** Forks without an answer; what cannot be done is counted as refused. */
export function takeForkSignal(run: Run, payload: unknown): void {
  const isRefused = run.stopped || forkProblem(run.state, payload) !== undefined;
  takeSignal(run, 'fork', payload);
  if (!isRefused) startForks(run, payload);
}

function validate(run: Run, payload: unknown): void {
  if (run.stopped) throw rejection(failureType.runEnding, 'The run is ending.');
  const problem = forkProblem(run.state, payload);
  if (problem !== undefined) throw rejection(problem.type, problem.text);
  if (run.admit(bytesOf(payload))) return;
  throw rejection(failureType.inboxFull, 'Too much has come at once. Ask again in a moment.');
}

/** Each fork carries the request again. */
function bytesOf(payload: unknown): number {
  const { count = 1 } = toForkRequest(payload);
  return utf8Length(JSON.stringify(payload ?? null)) * (count + 1);
}

/** The forks are asked for in this very Workflow task, so that their ids are told only of runs that there will be. */
function startForks(run: Run, payload: unknown): ForkReceipt {
  const { count = 1, at = newestForkPoint(run.state), ...request } = toForkRequest(payload);
  const { workflowId: runId, runId: temporalRunId } = workflowInfo();
  const from: FromPoint = {
    point: { runId, temporalRunId, message: at },
    previous: { temporalRunId, how: 'forked' },
    ...request,
  };
  const runs = Array.from({ length: count }, () => uuid4());
  for (const id of runs) run.open(startFork(run, id, from));
  return { runs };
}

async function startFork(run: Run, id: string, from: FromPoint): Promise<void> {
  const { title, start } = run.state;
  const agent = from.agent ?? start.agent;
  const at = run.now();
  const named = { ...from, agent, title: from.title ?? title };
  const first = awaitingState({ at, runId: id, firstTemporalRunId: '', from: named });
  try {
    // Neither a cancellation of this run nor its end reaches a fork.
    await CancellationScope.nonCancellable(() =>
      startChild<typeof everloopAgentRun>('everloopAgentRun', {
        workflowId: id,
        args: [{ from }],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        memo: { [memoKey]: toRunMemo(first, at) },
        typedSearchAttributes: [
          { key: attribute.agent, value: agent },
          { key: attribute.status, value: 'running' },
          { key: attribute.root, value: id },
          { key: attribute.forkedFrom, value: from.point.runId },
        ],
        staticSummary: shortSummary(first.title),
      }),
    );
  } catch (error) {
    log.warn('a fork could not be started', { id, error });
  }
}
