/** Whether the configuration can be read and is valid. */
import { basename } from 'node:path';
import type { Config } from '../../config.ts';
import { ConfigurationError } from '../../everloop-error.ts';
import { counted } from '../format.ts';
import type { Finding } from './finding.ts';
import { ok, problem } from './finding.ts';

/** The configuration, or all that is wrong with it. */
export type ConfigurationFacts = Config | ConfigurationError;

/** Loads the configuration as every command does. */
export async function gatherConfiguration(
  load: () => Promise<Config>,
): Promise<ConfigurationFacts> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
}

/** One finding for each thing that is wrong. */
export function configurationFindings(facts: ConfigurationFacts): Finding[] {
  if (!(facts instanceof ConfigurationError)) {
    const { file, agents } = facts;
    const names = `${counted(agents.size, 'agent')}: ${[...agents.keys()].join(', ')}`;
    const what =
      file === undefined
        ? `no configuration file, so the built-in agents are there, ${names}`
        : `${basename(file)} has ${names}`;
    return [ok('configuration', what)];
  }
  const fix = facts.hint ?? 'correct it, then try again';
  return facts.problems.map(({ where, what }) =>
    problem('configuration', `${where}: ${what}`, fix),
  );
}
