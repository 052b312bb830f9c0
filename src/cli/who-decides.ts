/** The name under which a person's decisions are recorded. */
import { userInfo } from 'node:os';
import type { Terminal } from './terminal.ts';

/** The name that was given; else the user's login name, where the machine knows one. */
export function whoDecides(
  { env }: Pick<Terminal, 'env'>,
  given: string | undefined,
): { readonly by?: string } {
  const by = given ?? loginName() ?? env['USER'] ?? '';
  return by === '' ? {} : { by };
}

/** A container may run under a number that has no name. */
function loginName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
