/** Names that only a project and its engine know: agents and runs. Who presses a key waits for words, not for errors: what fails or is slow is left out. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config.ts';
import { oneLine, shorten } from '../format.ts';
import type { Cli } from '../program.ts';
import type { Candidate } from './candidates.ts';

/** What a server may take: longer than a healthy answer, shorter than a person's patience. */
const patienceMs = 2_000;

/** More would not fit on a screen. */
const shownRuns = 50;
const titleLength = 40;

/** The project's agents; none where the configuration is broken. */
export async function agentNames(cli: Cli): Promise<Candidate[]> {
  try {
    const { agents } = await cli.config();
    return [...agents.keys()].map((value) => ({ value, about: '' }));
  } catch {
    return [];
  }
}

/** The newest runs of a server that is running; none is started for this. */
export async function runIds(cli: Cli): Promise<Candidate[]> {
  try {
    const config = await cli.config();
    return await Promise.race([newestRuns(config), delay(patienceMs, [], { ref: false })]);
  } catch {
    return [];
  }
}

async function newestRuns(config: Config): Promise<Candidate[]> {
  const { runningEngine, withRuns } = await import('../engine.ts');
  const engine = await runningEngine(config);
  return await withRuns(config, engine, async ({ everloop }) => {
    const found: Candidate[] = [];
    for await (const { id, status, agent, title } of everloop.list()) {
      const about = shorten(oneLine(`${status} ${agent}: ${title}`), titleLength);
      found.push({ value: id, about });
      if (found.length === shownRuns) break;
    }
    return found;
  });
}
