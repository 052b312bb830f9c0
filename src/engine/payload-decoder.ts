/** Decodes payloads as the connection's own converter, codec and external storage do. */
import type { LoadedDataConverter, Payload } from '@temporalio/common';
import { ExternalStorageRunner } from '@temporalio/common/lib/internal-non-workflow/external-storage-runner.js';
import { isReferencePayload } from '@temporalio/common/lib/internal-non-workflow/extstore-helpers.js';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import { EverloopError } from '../everloop-error.ts';

type Payloads = temporal.api.common.v1.IPayload[] | null | undefined;

/**
 * The decoder rejects with the converter's own error for what it does not understand, and with an EverloopError where
 * a payload that is kept elsewhere cannot be fetched: `configuration`, or what the blob store says.
 */
export function payloadDecoder(
  converter: LoadedDataConverter,
): (payloads: Payloads) => Promise<readonly unknown[]> {
  return async (payloads) => {
    const isElsewhere = payloads?.some((payload) => isReferencePayload(payload)) === true;
    const here = isElsewhere ? await fetched(converter, payloads) : payloads;
    return await decodeArrayFromPayloads(converter, here);
  };
}

async function fetched(
  { externalStorage }: LoadedDataConverter,
  payloads: Payload[],
): Promise<Payload[]> {
  if (externalStorage !== undefined) {
    return await new ExternalStorageRunner(externalStorage).retrieve(payloads);
  }
  throw new EverloopError('configuration', 'a payload is kept in a blob store that is not known', {
    hint: 'give the client or the replay the blob store of the Workers',
  });
}
