/** Names that only a project and its engine know: agents and runs. Who presses a key waits, so what is slow or fails is left out. */
import { setTimeout as delay } from 'node:timers/promises';
import { oneLine, shorten } from '../format.ts';
import type { Cli } from '../program.ts';
import type { Candidate } from './candidates.ts';

/** Longer than a healthy answer, shorter than a person's patience. */
const patienceMs = 2_000;

/** More would not fit on a screen. */
const shownRuns = 50;
const titleLength = 40;

/** The project's agents. */
export async function agentNames(cli: Cli): Promise<Candidate[]> {
  return await inTime(async () => {
    const { agents } = await cli.config();
    return [...agents.keys()].map((value) => ({ value, about: '' }));
  });
}

/** The newest runs of a server that is running; none is started for this. */
export async function runIds(cli: Cli): Promise<Candidate[]> {
  return await inTime(async () => {
    const config = await cli.config();
    const { runningEngine, withRuns } = await import('../engine.ts');
    const engine = await runningEngine(config);
    return await withRuns(config, engine, async ({ everloop }) => {
      const found: Candidate[] = [];
      for await (const { id, status, agent, title } of everloop.list()) {
        found.push({
          value: id,
          about: shorten(oneLine(`${status}  ${agent}: ${title}`), titleLength),
        });
        if (found.length === shownRuns) break;
      }
      return found;
    });
  });
}

async function inTime(look: () => Promise<Candidate[]>): Promise<Candidate[]> {
  const late = delay(patienceMs, [], { ref: false });
  return await Promise.race([look().catch(() => []), late]);
}
