/** Keeps in the blob store what is too large of a tool's output: the model sees its beginning, its end, and the way to the rest. */
import type { JsonObject } from '../chat/json.ts';
import { textOf } from '../chat/text-of.ts';
import type { ToolContent, ToolOutput } from '../chat/tool-output.ts';
import { keepMedia } from '../storage/keep-media.ts';
import type { Keeper } from './keeper.ts';
import { limitOutput, maxInlineBytes } from './tool-output.ts';

/** Where the whole of a result lies: metadata of its part. */
const resultKey = 'everloop/result';
const detailsKey = 'everloop/details';

/** How much of a result the model sees at once, and what it reads the rest with; without that, the rest is cut off. */
export interface ResultLimit {
  readonly maxResultBytes: number;
  /** Name of the agent's tool that reads results. */
  readonly reader: string | undefined;
}

/** An output that history takes, and the metadata of its part. */
export interface KeptOutput {
  readonly output: ToolOutput;
  readonly metadata?: JsonObject;
}

/**
 * The output with its bytes in the store: media that are more than a few, details and text beyond the limit. What
 * the store does not take stays, text up to 1 MiB; `onFailure` hears why.
 */
export async function keepOutput(
  output: ToolOutput,
  { maxResultBytes, reader }: ResultLimit,
  store: Keeper,
  onFailure: (error: unknown) => void,
): Promise<KeptOutput> {
  const kept = async <T>(put: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await put();
    } catch (error) {
      onFailure(error);
      return undefined;
    }
  };
  const light = await withoutMedia(output, async (part) => {
    const media = await kept(() => keepMedia(store, part.media));
    return media === undefined ? part : { ...part, media };
  });
  if (reader === undefined) return { output: limitOutput(light, maxResultBytes) };

  const { content = [], details } = light;
  const json = details === undefined ? '' : JSON.stringify(details);
  const text = content.length === 0 ? json : textOf(light);
  const metadata: JsonObject = {};
  let shown = light;
  if (content.length > 0 && isLarger(json, maxResultBytes)) {
    const reference = await kept(() => keepText(store, json, 'application/json'));
    if (reference !== undefined) {
      metadata[detailsKey] = reference;
      shown = { content };
    }
  }
  if (isLarger(text, maxResultBytes)) {
    const reference = await kept(() => keepText(store, text, 'text/plain; charset=utf-8'));
    if (reference !== undefined) metadata[resultKey] = reference;
    shown =
      reference === undefined
        ? limitOutput(shown, maxInlineBytes)
        : limitOutput(
            shown,
            maxResultBytes,
            `${reader} with result "${reference.hash}" shows them`,
          );
  }
  return { output: shown, ...(Object.keys(metadata).length > 0 && { metadata }) };
}

type MediaContent = Extract<ToolContent, { kind: 'media' }>;

async function withoutMedia(
  output: ToolOutput,
  toLight: (part: MediaContent) => Promise<MediaContent>,
): Promise<ToolOutput> {
  const { content } = output;
  if (content === undefined) return output;
  const light = content.map((part) => (part.kind === 'media' ? toLight(part) : part));
  return { ...output, content: await Promise.all(light) };
}

async function keepText(store: Keeper, text: string, type: string) {
  const bytes = Buffer.from(text);
  return { hash: await store.put(bytes, { type }), bytes: bytes.byteLength };
}

function isLarger(text: string, maxBytes: number): boolean {
  return Buffer.byteLength(text) > maxBytes;
}
