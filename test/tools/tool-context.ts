/** What a tool gets beside its input, made up for a test. */
import type { ToolContext } from '../../src/tools/define-tool.ts';

/** A first attempt that nobody cancels and nobody watches, unless said otherwise. */
export function toolContext(signal = new AbortController().signal): ToolContext {
  return {
    signal,
    idempotencyKey: 'key',
    attempt: 1,
    run: { id: 'run', iteration: 1, callId: 'call' },
    progress: () => undefined,
  };
}
