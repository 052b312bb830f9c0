/** Decodes payloads as the connection's own converter and codec do. */
import type { LoadedDataConverter } from '@temporalio/common';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';

type Payloads = temporal.api.common.v1.IPayload[] | null | undefined;

export function payloadDecoder(
  converter: LoadedDataConverter,
): (payloads: Payloads) => Promise<readonly unknown[]> {
  return (payloads) => decodeArrayFromPayloads(converter, payloads);
}
