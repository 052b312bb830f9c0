/** Adds request members that only one API has, as an extension of the request's options. */
import type { ChatError } from '../../chat/chat-error.ts';
import type { Extensions } from '../../chat/extensions.ts';
import type { JsonObject, JsonValue } from '../../chat/json.ts';
import { notExpressible } from './not-expressible.ts';

/** What an adapter lets its extension `<namespace>/request` say. */
export interface RequestExtension {
  readonly namespace: string;
  /**
   * Members that the protocol has words for, or whose answer the adapter could not read. `a.b` is member
   * `b` of the object `a`, whose other members are free.
   */
  readonly owned: ReadonlySet<string>;
}

/**
 * Merges the extension into the body, members in alphabetical order; an object that the body has already is
 * merged member by member. Extensions of other namespaces are not addressed to this adapter.
 *
 * @throws ChatError for a member that is owned, or another extension of this namespace
 */
export function withExtension<Body extends object>(
  body: Body,
  extensions: Extensions | undefined,
  { namespace, owned }: RequestExtension,
): Body {
  const given = extensions ?? {};
  const name = `${namespace}/request`;
  const unknown = Object.keys(given).find((key) => key.startsWith(`${namespace}/`) && key !== name);
  if (unknown !== undefined) throw refused(`["${unknown}"]`, 'is no extension of this adapter');

  const extension = given[name];
  if (extension === undefined) return body;
  if (!isObject(extension)) throw refused(`["${name}"]`, 'must be an object');
  const ours = new Map<string, unknown>(Object.entries(body));
  const members = Object.entries(extension)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([member, value]): [string, unknown] => {
      assertFree(`["${name}"].${member}`, member, value, owned);
      const own = ours.get(member);
      return [member, isObject(own) && isObject(value) ? { ...own, ...value } : value];
    });
  return { ...body, ...Object.fromEntries(members) };
}

function assertFree(
  where: string,
  member: string,
  value: JsonValue | undefined,
  owned: ReadonlySet<string>,
): void {
  if (owned.has(member)) throw refused(where, 'is set by the adapter itself');
  const inside = [...owned].filter((path) => path.startsWith(`${member}.`));
  if (inside.length === 0) return;
  if (!isObject(value)) throw refused(where, 'must be an object');
  for (const path of inside) {
    const inner = path.slice(member.length + 1);
    if (Object.hasOwn(value, inner))
      throw refused(`${where}.${inner}`, 'is set by the adapter itself');
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refused(where: string, why: string): ChatError {
  return notExpressible(`options.extensions${where}`, why, 'invalid_options');
}
