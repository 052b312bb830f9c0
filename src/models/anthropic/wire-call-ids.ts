/** Gives calls the ids that the API takes: letters, digits, `_` and `-`, each once in a conversation. */

const allowed = /^[a-zA-Z0-9_-]+$/;

/** What begins so was written here; a foreign id that does is written anew like any other. */
const prefix = 'everloop-';

/** Ids of one conversation, asked for in its order. */
export interface WireCallIds {
  /** The id for the next call of that id; a second call of the same id gets another. */
  forCall(id: string, toolset?: string): string;
  /** The id of the latest call of that id: results directly follow their calls. */
  forResult(id: string): string;
  /** The toolset of the latest call of that id, which its result must name too. */
  toolsetOf(id: string): string | undefined;
}

/**
 * Ids that fit stay as they are. All others are written in hexadecimal, so that no two become one and
 * the same conversation gets the same ids in every process and every request.
 */
export function createWireCallIds(): WireCallIds {
  const uses = new Map<string, number>();
  const toolsets = new Map<string, string | undefined>();
  return {
    forCall(id, toolset) {
      toolsets.set(id, toolset);
      const use = (uses.get(id) ?? 0) + 1;
      uses.set(id, use);
      return toWireId(id, use);
    },
    forResult: (id) => toWireId(id, uses.get(id) ?? 1),
    toolsetOf: (id) => toolsets.get(id),
  };
}

function toWireId(id: string, use: number): string {
  if (use === 1 && allowed.test(id) && !id.startsWith(prefix)) return id;
  const written = prefix + Buffer.from(id, 'utf8').toString('hex');
  return use === 1 ? written : `${written}-${use}`;
}
