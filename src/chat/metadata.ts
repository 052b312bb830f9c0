/** Notes that travel with chat data: provider-specific facts under namespaced keys. */
import type * as z from 'zod/mini';
import { jsonMap } from './json.ts';

/** Map of non-empty keys (by convention `namespace/name`) to JSON values; `null` is a value. */
export const Metadata = jsonMap((key) => (key === '' ? 'must not have an empty key' : undefined));
export type Metadata = z.infer<typeof Metadata>;
