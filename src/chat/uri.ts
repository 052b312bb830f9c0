/** Schema of a URI. */
import * as z from 'zod/mini';
import { isAbsoluteUri } from './is-uri.ts';

/** A URI with a scheme. */
export const AbsoluteUri = z
  .string()
  .check(z.refine(isAbsoluteUri, { error: 'must be an absolute URI' }));
