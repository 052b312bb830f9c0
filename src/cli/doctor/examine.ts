/** The whole examination: gathers the facts and has each judged. */
import type { Config } from '../../config.ts';
import { liveEngineState } from '../../engine/engine-state.ts';
import { projectDirectory } from '../../engine/project-directory.ts';
import { ConfigurationError } from '../../everloop-error.ts';
import type { Terminal } from '../terminal.ts';
import { blobStoreFinding, gatherBlobStore } from './blob-store.ts';
import type { ConfigurationFacts } from './configuration.ts';
import { configurationFindings, gatherConfiguration } from './configuration.ts';
import type { Finding } from './finding.ts';
import { warning } from './finding.ts';
import { gatherKeys, keyFindings } from './keys.ts';
import { nodeFinding } from './node.ts';
import { gatherPackages, packageFindings } from './packages.ts';
import { gatherPorts, portFindings } from './ports.ts';
import { gatherServer, serverFindings } from './server.ts';
import { gatherTemporalCli, temporalCliFinding } from './temporal-cli.ts';

/** Looks at machine, project and server, and yields each finding as soon as it is there. */
export async function* examine(
  terminal: Terminal,
  load: () => Promise<Config>,
): AsyncGenerator<Finding, void, undefined> {
  yield nodeFinding(process.versions.node);
  const facts = await gatherConfiguration(load);
  const config = facts instanceof ConfigurationError ? undefined : facts;
  const { directory } = terminal;
  const project = projectDirectory(directory);
  const state = await liveEngineState(project);
  yield temporalCliFinding(await gatherTemporalCli(terminal), config?.engine === undefined);
  yield* packageFindings(gatherPackages(directory));
  yield* configurationFindings(facts);
  yield* ofConfiguration(facts);
  if (config !== undefined) yield* serverFindings(await gatherServer(config, state));
  yield* portFindings(await gatherPorts(state));
  yield blobStoreFinding(await gatherBlobStore(project.blobs));
}

function ofConfiguration(facts: ConfigurationFacts): Finding[] {
  if (!(facts instanceof ConfigurationError)) {
    return keyFindings(gatherKeys(facts));
  }
  return [
    warning(
      'server',
      'keys and server were not looked at: they are known from the configuration only',
      'correct the configuration first',
    ),
  ];
}
