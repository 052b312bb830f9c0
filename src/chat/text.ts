/** Schemas of the kinds of text that chat data is made of; all of it is well-formed Unicode. */
import * as z from 'zod/mini';
import { hasSurroundingSpace, isBlank } from './white-space.ts';

const wellFormed = z.refine<string>((text) => text.isWellFormed(), {
  error: 'contains a lone surrogate',
  abort: true,
});
const nonEmpty = z.refine<string>((text) => text !== '', { error: 'must not be empty' });
const nonBlank = z.refine<string>((text) => !isBlank(text), { error: 'must not be blank' });
const trimmed = z.refine<string>((text) => !hasSurroundingSpace(text), {
  error: 'must not begin or end with white space',
});

/** Free text, the empty one included. */
export const Text = z.string().check(wellFormed);

/** Text of at least one character, which may be white space. */
export const NonEmptyText = z.string().check(wellFormed, nonEmpty);

/** Text with at least one character that is not white space. */
export const NonBlankText = z.string().check(wellFormed, nonBlank);

/** Text without white space around it; it may be empty. */
export const TrimmedText = z.string().check(wellFormed, trimmed);

/** Non-empty text without white space around it. */
export const NonEmptyTrimmedText = z.string().check(wellFormed, nonEmpty, trimmed);
