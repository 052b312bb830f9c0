/** All scenarios, in the order in which they are listed. */
import type { Scenario } from './scenario.ts';
import { cancelScenario } from './scenarios/cancel.ts';
import { engineScenario } from './scenarios/engine.ts';
import { forkScenario } from './scenarios/fork.ts';
import { historyScenario } from './scenarios/history.ts';
import { iterationScenario } from './scenarios/iteration.ts';
import { longRunScenario } from './scenarios/long-run.ts';
import { recoveryScenario } from './scenarios/recovery.ts';
import { replayScenario } from './scenarios/replay.ts';
import { startScenario } from './scenarios/start.ts';
import { throughputScenario } from './scenarios/throughput.ts';

export const scenarios: readonly Scenario[] = [
  historyScenario,
  iterationScenario,
  startScenario,
  cancelScenario,
  engineScenario,
  throughputScenario,
  replayScenario,
  forkScenario,
  longRunScenario,
  recoveryScenario,
];
