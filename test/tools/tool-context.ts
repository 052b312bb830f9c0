/** What a tool gets beside its input, made up for a test. */
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import type { ToolContext } from '../../src/tools/define-tool.ts';

const mute = () => undefined;

/** A first attempt that nobody cancels and nobody watches, unless said otherwise. */
export function toolContext(
  signal = new AbortController().signal,
  more: Partial<ToolContext> = {},
): ToolContext {
  return {
    signal,
    idempotencyKey: 'key',
    attempt: 1,
    run: { id: 'run', iteration: 1, callId: 'call' },
    progress: mute,
    emit: mute,
    log: { debug: mute, info: mute, warn: mute, error: mute },
    blobs: createMemoryBlobStore(),
    ...more,
  };
}
