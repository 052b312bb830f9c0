/** Layers options over one another. */
import { mergeMetadata } from './merge-metadata.ts';
import { Options } from './options.ts';
import { validate } from './validate.ts';

/**
 * The options of `base` with each override laid over it: members that an override has replace, an empty
 * `model` or `reasoningEffort` does not, `stop: []` does, extensions merge key by key. A setting cannot be
 * taken away again.
 *
 * Only the result has to be valid; nothing of the inputs is changed or shared.
 *
 * @throws ChatError `invalid_options`.
 */
export function resolveOptions(
  base: Options | undefined,
  ...overrides: readonly (Options | undefined)[]
): Options {
  let resolved: Options = { ...base };
  for (const override of overrides) {
    if (override !== undefined) resolved = layer(resolved, override);
  }
  return validate(Options, resolved);
}

function layer(base: Options, override: Options): Options {
  const present = Object.entries(override).filter(
    ([name, value]) => value !== undefined && !(isEmptyable(name) && value === ''),
  );
  const extensions = mergeMetadata(base.extensions, override.extensions);
  return {
    ...base,
    ...Object.fromEntries(present),
    ...(extensions === undefined ? {} : { extensions }),
  };
}

function isEmptyable(name: string): boolean {
  return name === 'model' || name === 'reasoningEffort';
}
