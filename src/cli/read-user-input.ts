/** What a user says to a run: a text, and images that belong to it. */
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { binaryType } from '../abilities/file-tools/file-type.ts';
import { mediaPart, textPart } from '../chat/create-part.ts';
import type { MediaPart } from '../chat/media-part.ts';
import { EverloopError } from '../everloop-error.ts';
import type { UserInput } from '../loop/run-input.ts';
import type { InputSource } from './read-input.ts';
import { readInput } from './read-input.ts';
import type { Terminal } from './terminal.ts';

/** Where text and images are. */
export interface UserInputSource extends InputSource {
  /** Files, in the order in which the model sees them, after the text. */
  readonly images: readonly string[] | undefined;
}

/** What every provider that takes images or documents can be sent. */
const mediaTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'];

/**
 * The text alone, or a message of text and images.
 * @throws EverloopError `invalid_input` when there is neither, when text is given twice, or for a file that is no image
 */
export async function readUserInput(
  terminal: Terminal,
  { images = [], ...source }: UserInputSource,
): Promise<UserInput> {
  const text = await readInput(terminal, source);
  if (images.length === 0) {
    if (text !== '') return text;
    throw new EverloopError('invalid_input', 'there is no input', {
      hint: 'give it as an argument, with --file, through a pipe, or an --image',
    });
  }
  const media: MediaPart[] = [];
  for (const image of images) media.push(await readMedia(terminal, image));
  return { role: 'user', parts: [...(text === '' ? [] : [textPart(text)]), ...media] };
}

async function readMedia({ directory }: Terminal, file: string): Promise<MediaPart> {
  const content = await readFile(resolve(directory, file)).catch((error: unknown) => {
    throw new EverloopError('invalid_input', `the image ${file} cannot be read`, {
      hint: `check its name and permissions (${error instanceof Error && 'code' in error ? error.code : error})`,
      cause: error,
    });
  });
  const mime = binaryType(content);
  if (mime === undefined || !mediaTypes.includes(mime)) {
    throw new EverloopError('invalid_input', `${file} is no image that models take`, {
      hint: `its content must be one of: ${mediaTypes.join(', ')}; text goes in with --file`,
    });
  }
  const name = basename(file).toWellFormed();
  return mediaPart({
    mime,
    name,
    source: { kind: 'bytes', bytes: content.toString('base64') },
  });
}
