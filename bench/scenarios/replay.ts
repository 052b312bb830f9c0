/** `replay`: events per second that a recorded run is executed again with, against Temporal's own replay of the floor. */
import { Worker } from '@temporalio/worker';
import { readRecordedRun } from '../../src/client/recorded-run.ts';
import type { RecordedRun } from '../../src/replay/recorded-run.ts';
import { replayRun } from '../../src/replay/replay-run.ts';
import type { Contestant, Contestants } from '../contestants.ts';
import { interleave } from '../interleave.ts';
import type { Scenario } from '../scenario.ts';
import { floorBundle } from '../sides.ts';
import { estimateMedian } from '../statistics.ts';
import { withContestants } from '../with-contestants.ts';
import { createWorkload } from '../workload.ts';

/** Some 2,400 events; Everloop's run continues as new twice. */
const iterations = 200;
const rounds = 12;

/** A recorded run of each side. */
interface Recorded {
  readonly floor: RecordedRun;
  readonly everloop: RecordedRun;
}

export const replayScenario: Scenario = {
  name: 'replay',
  title: `events per second of a replay, with states compared, against Temporal's own on the floor`,
  async run(say) {
    const workload = createWorkload();
    const { floor, everloop } = await withContestants('tuned', workload, record);
    say(`recorded ${iterations} iterations of each side`);
    const workflowBundle = await floorBundle();
    const measured = await interleave(
      {
        floor: () =>
          eventsPerSecond(floor, async () => {
            for (const { events } of floor.parts) {
              await Worker.runReplayHistory(
                { workflowBundle },
                { events: [...events] },
                floor.runId,
              );
            }
          }),
        everloop: () =>
          eventsPerSecond(everloop, async () => {
            const verdict = await replayRun(everloop);
            if (!verdict.ok) throw new Error(`a run does not replay: ${verdict.problem}`);
          }),
      },
      { rounds, warmUp: 2, onRound: (done, all) => say(`pair ${done} of ${all}`) },
    );
    return {
      figures: {
        'floor events': countEvents(floor),
        'everloop events': countEvents(everloop),
        'everloop Temporal runs': everloop.parts.length,
        'floor events per second': estimateMedian(measured.map((round) => round.floor)),
        'everloop events per second': estimateMedian(measured.map((round) => round.everloop)),
      },
      checks: [
        {
          name: 'everloop / floor',
          measured: estimateMedian(measured.map((round) => round.everloop / round.floor)),
          bound: { atLeast: 0.9 },
        },
      ],
    };
  },
};

async function record({ client, floor, everloop }: Contestants): Promise<Recorded> {
  const recordOf = async (side: Contestant) => {
    const run = await side.start(iterations);
    await run.ended();
    return await readRecordedRun(client, run.id);
  };
  return { floor: await recordOf(floor), everloop: await recordOf(everloop) };
}

function countEvents({ parts }: RecordedRun): number {
  return parts.reduce((sum, { events }) => sum + events.length, 0);
}

async function eventsPerSecond(run: RecordedRun, replay: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await replay();
  return (countEvents(run) * 1_000) / (performance.now() - began);
}
