/** Shortens old tool results in what the model sees: they fill its context long after they mattered. The transcript keeps them whole. */
import type { Message } from '../chat/message.ts';
import { keepOutput } from './keep-output.ts';
import type { Keeper } from './keeper.ts';

/** Bytes of text that an old result shows: enough to know what it was about. */
const shownBytes = 1_024;
/** Messages that grow old together: each time some do, the provider's prompt cache begins anew from there. */
const step = 20;

/** The short form of a message, made once per process. */
const shortened = new WeakMap<Message, Promise<Message>>();

/** Which results are old, and how the model reads the rest of them. */
export interface Ageing {
  /** Messages after a result, before it counts as old. */
  readonly after: number;
  /** Name of the agent's tool that reads results. */
  readonly reader: string;
  readonly store: Keeper;
  /** Hears why a result stays as it is. */
  readonly onFailure: (error: unknown) => void;
}

/** The messages with old results shortened; each says how the rest of it is read. */
export async function ageResults(
  messages: readonly Message[],
  ageing: Ageing,
): Promise<readonly Message[]> {
  const old = Math.floor((messages.length - ageing.after) / step) * step;
  if (old <= 0) return messages;
  return await Promise.all(
    messages.map((message, index) =>
      index < old && message.role === 'tool' ? shortForm(message, ageing) : message,
    ),
  );
}

function shortForm(message: Message, ageing: Ageing): Promise<Message> {
  const known = shortened.get(message);
  if (known !== undefined) return known;
  const short = shorten(message, ageing);
  shortened.set(message, short);
  return short;
}

async function shorten(message: Message, { reader, store, onFailure }: Ageing): Promise<Message> {
  const parts = await Promise.all(
    message.parts.map(async (part) => {
      if (part.kind !== 'tool_result') return part;
      const { toolResult } = part;
      let isKept = true;
      const { output } = await keepOutput(
        toolResult.output,
        { maxResultBytes: shownBytes, reader },
        store,
        (error) => {
          isKept = false;
          onFailure(error);
        },
      );
      // What is not in the store cannot be read again.
      return isKept ? { ...part, toolResult: { ...toolResult, output } } : part;
    }),
  );
  return { ...message, parts };
}
