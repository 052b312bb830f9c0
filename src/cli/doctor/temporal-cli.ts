/** Whether there is a Temporal CLI that can run the embedded server. */
import type { TemporalCli } from '../../engine/find-temporal-cli.ts';
import { findTemporalCli } from '../../engine/find-temporal-cli.ts';
import { oldestTemporalCliVersion } from '../../engine/temporal-cli-pins.ts';
import type { ConfigurationProblem } from '../../everloop-error.ts';
import { ConfigurationError } from '../../everloop-error.ts';
import type { Terminal } from '../terminal.ts';
import type { Finding } from './finding.ts';
import { ok, problem, warning } from './finding.ts';

/** What was found on this machine; nothing is fetched. */
export type TemporalCliFacts =
  | { readonly status: 'found'; readonly cli: TemporalCli }
  /** Named in `EVERLOOP_TEMPORAL_CLI`, and not usable. */
  | { readonly status: 'named'; readonly problems: readonly ConfigurationProblem[] }
  | { readonly status: 'absent'; readonly problems: readonly ConfigurationProblem[] };

const places: Readonly<Record<TemporalCli['source'], string>> = {
  environment: 'named in EVERLOOP_TEMPORAL_CLI',
  path: 'found on PATH',
  cache: "found in Everloop's cache",
  download: 'downloaded',
  pip: 'fetched by pip',
};

/** Looks where `everloop dev` looks first. */
export async function gatherTemporalCli({ env }: Terminal): Promise<TemporalCliFacts> {
  try {
    return { status: 'found', cli: await findTemporalCli({ env, fetchers: [] }) };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { problems } = error;
    return { status: env['EVERLOOP_TEMPORAL_CLI'] ? 'named' : 'absent', problems };
  }
}

/** @param isNeeded whether the project runs its own engine, instead of using a server that is named */
export function temporalCliFinding(facts: TemporalCliFacts, isNeeded: boolean): Finding {
  if (facts.status === 'found') {
    const { version, path, source } = facts.cli;
    return ok('temporal-cli', `Temporal CLI ${version}, ${places[source]}: ${path}`);
  }
  const why = facts.problems
    .filter(({ what }) => what !== 'not set')
    .map(({ where, what }) => `${where}: ${what}`)
    .join('; ');
  const install = `install the Temporal CLI ${oldestTemporalCliVersion} or newer from https://docs.temporal.io/cli`;
  if (facts.status === 'named') {
    const fix = `correct EVERLOOP_TEMPORAL_CLI, or unset it; else ${install}`;
    return problem('temporal-cli', why, fix);
  }
  if (!isNeeded) {
    return ok('temporal-cli', 'no Temporal CLI, which is not needed for the server that is named');
  }
  return warning(
    'temporal-cli',
    `no Temporal CLI yet (${why}): the first everloop dev fetches one`,
    `let it, with access to the internet or to pip; or ${install}`,
  );
}
