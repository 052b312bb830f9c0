/** What history can take: the server refuses a larger payload, and the SDK would try the same one for ever. */
import { maxPayloadBytes } from '../loop/payload-limit.ts';

/** Whether the value can be an Activity's result. */
export function isRecordable(value: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(value)) <= maxPayloadBytes;
}
