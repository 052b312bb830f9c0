/** What an adapter could not say to its provider, but went on without. */
import * as z from 'zod/mini';
import { Text } from './text.ts';

/**
 * One thing of a request that was left out (`omitted`) or put differently (`defaulted`); anything graver
 * is an error before the request is sent.
 */
export const ReportEntry = z.strictObject({
  severity: z.enum(['omitted', 'defaulted']),
  path: Text,
  reason: Text,
});
export type ReportEntry = z.infer<typeof ReportEntry>;
