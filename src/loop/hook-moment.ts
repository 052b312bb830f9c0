/** The seven moments of a run at which hooks are asked. */
import * as z from 'zod/mini';

export const HookMoment = z.enum([
  'onStart',
  'onModelStart',
  'onModelEnd',
  'onToolStart',
  'onToolEnd',
  'onLoop',
  'onEnd',
]);
export type HookMoment = z.infer<typeof HookMoment>;
