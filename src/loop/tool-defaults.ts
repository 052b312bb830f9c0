/** What a tool is when its definition says nothing else; Activity inputs leave it out. */
import type { ToolSpec } from './agent-spec.ts';

export const toolDefaults = {
  /** The one that is never wrong: a lost attempt is not repeated. */
  effect: 'once',
  /** Longer than most requests take; what takes minutes says so. */
  timeoutMs: 60_000,
  /** About 8,000 tokens: more crowds out the conversation. */
  maxResultBytes: 32 * 1024,
} as const satisfies Pick<ToolSpec, 'effect' | 'timeoutMs' | 'maxResultBytes'>;

/** What of the tool differs from the defaults. */
export function beyondDefaults(
  tool: ToolSpec,
): Partial<Pick<ToolSpec, 'effect' | 'timeoutMs' | 'maxResultBytes'>> {
  const { effect, timeoutMs, maxResultBytes } = tool;
  return {
    ...(effect !== toolDefaults.effect && { effect }),
    ...(timeoutMs !== toolDefaults.timeoutMs && { timeoutMs }),
    ...(maxResultBytes !== toolDefaults.maxResultBytes && { maxResultBytes }),
  };
}
