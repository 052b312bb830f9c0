/** What a command replays with. */
import type { ReplayOptions } from '../replay/replay.ts';
import { withPayloadStorage } from '../storage/payload-storage.ts';
import type { Cli } from './program.ts';

/**
 * The bundle, and the project's blob store for payloads that were too large for the server. Hardly a history has one:
 * the configuration is only read when one is met, so that a file replays where no project is.
 */
export function toReplayOptions(cli: Cli, bundle: ReplayOptions['bundle']): ReplayOptions {
  const dataConverter = withPayloadStorage(undefined, {
    put: async (...args) => (await cli.config()).blobs.put(...args),
    get: async (...args) => (await cli.config()).blobs.get(...args),
  });
  return { dataConverter, ...(bundle !== undefined && { bundle }) };
}
