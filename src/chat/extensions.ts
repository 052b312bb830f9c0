/** Provider-only request fields, addressed to the adapter that owns the key. */
import type * as z from 'zod/mini';
import { jsonMap } from './json.ts';

const extensionKey = /^[\p{L}\p{Nd}._-]+\/[\p{L}\p{Nd}._-]+$/u;

/** Map of `namespace/name` keys (`anthropic/request`) to JSON values. */
export const Extensions = jsonMap((key) =>
  extensionKey.test(key) ? undefined : 'must be named namespace/name',
);
export type Extensions = z.infer<typeof Extensions>;
