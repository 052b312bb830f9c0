/** Waits for a call's turn at the gate of its tool, before any of its time counts. */
import { Context } from '@temporalio/activity';
import type { Tool } from '../tools/define-tool.ts';
import { bounded } from './bounded.ts';

/** Gives the place at the gate back. */
export type Leave = () => void;

/**
 * Resolves once the tool lets a call begin; at once for a tool without a gate.
 * Rejects with the reason of `stop`, with TimedOut after `maxWaitMs`, and with what the gate throws.
 */
export async function admission(tool: Tool, maxWaitMs: number, stop: AbortSignal): Promise<Leave> {
  const { admit } = tool;
  if (admit === undefined) return () => {};
  let place: Leave | undefined;
  let isAwaited = true;
  const admitted = async (signal: AbortSignal) => {
    const leave = safely(await admit.call(tool, signal));
    if (isAwaited) place = leave;
    else leave();
    return leave;
  };
  try {
    return await bounded(admitted, { timeoutMs: maxWaitMs, stop, graceMs: 0 });
  } catch (error) {
    isAwaited = false;
    place?.();
    throw error;
  }
}

/** The call is over when its place is given back: an error must not change how it ended. */
function safely(leave: Leave): Leave {
  return () => {
    try {
      leave();
    } catch (error) {
      Context.current().log.warn('a place at a gate could not be given back', { error });
    }
  };
}
