/** The host side of the Workflow's transcript sink: every appended message goes into the process's model contexts. */
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { AgentSpec } from '../loop/agent-spec.ts';
import type { Compaction } from '../loop/compaction.ts';
import type { ModelContexts } from './model-contexts.ts';

/** What the SDK says of the Workflow; its `runId` is the Temporal run's. */
interface HostedWorkflow {
  readonly runId: string;
}

/** Sinks for a Worker. Called during replay as well: that is how a new process gets the transcript back. */
export function transcriptSinks(contexts: ModelContexts) {
  return {
    transcript: {
      begin: {
        fn: ({ runId }: HostedWorkflow, agent: AgentSpec) => contexts.begin(runId, agent),
        callDuringReplay: true,
      },
      goOn: {
        fn: (
          { runId }: HostedWorkflow,
          agent: AgentSpec,
          previous: { readonly temporalRunId: string; readonly count: number },
        ) => contexts.goOn(runId, agent, previous),
        callDuringReplay: true,
      },
      append: {
        fn: ({ runId }: HostedWorkflow, index: number, message: TranscriptMessage) =>
          contexts.append(runId, index, message),
        callDuringReplay: true,
      },
      compact: {
        fn: ({ runId }: HostedWorkflow, compaction: Compaction) =>
          contexts.compact(runId, compaction),
        callDuringReplay: true,
      },
      end: { fn: ({ runId }: HostedWorkflow) => contexts.end(runId), callDuringReplay: true },
    },
  };
}
