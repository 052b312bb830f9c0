/** The demo's last act: a fork of the run that has ended goes on from all its messages. */
import type { Everloop } from '../client/everloop.ts';
import type { RunEnd } from '../loop/run-status.ts';
import type { FollowOptions } from './follow-run.ts';
import { followRun } from './follow-run.ts';
import { counted } from './format.ts';
import type { RunView } from './run-view.ts';
import type { Terminal } from './terminal.ts';

/** What became of the fork. */
export interface DemoFork {
  readonly runId: string;
  readonly stopReason: RunEnd;
  /** Messages that it began with. */
  readonly inherited: number;
  readonly modelCalls: number;
}

const question = 'And in one sentence?';

/** Forks the run and follows the fork to its end. */
export async function performFork(
  terminal: Terminal,
  {
    runId,
    everloop,
    connect,
    view,
    tell,
  }: {
    readonly runId: string;
    readonly everloop: Everloop;
    readonly connect: FollowOptions['connect'];
    readonly view: RunView;
    tell(text: string): void;
  },
): Promise<DemoFork> {
  const [fork] = await everloop.run(runId).fork({ input: question });
  if (fork === undefined) throw new Error('the fork was not made');
  let inherited = 0;
  let modelCalls = 0;
  tell(
    `A fork asks for more, from the end of the run: everloop fork ${runId} --input '${question}'`,
  );
  const { stopReason } = await followRun(terminal, {
    runId: fork.id,
    connect,
    onEvent(event) {
      if (event.type === 'run-start') inherited = event.data.forkedFrom?.messages ?? 0;
      if (event.type === 'model-start') modelCalls += 1;
      view.event(event);
    },
  });
  view.end();
  tell(
    `It has inherited ${counted(inherited, 'message')} and made ${counted(modelCalls, 'model call')}.`,
  );
  return { runId: fork.id, stopReason, inherited, modelCalls };
}
