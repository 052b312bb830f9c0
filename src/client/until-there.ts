/** Waits for a Workflow whose id was given before it was started. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { exhaustedDelayMs } from '../engine/grpc-retry.ts';
import { isGone } from '../history/is-gone.ts';

/** About ten seconds: a server starts what it was asked for within milliseconds. */
const attempts = 100;

/** Resolves once the server knows the Workflow; or when it has had time enough, and whoever asks next is told. */
export async function untilThere(client: Client, id: string): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      await client.workflow.getHandle(id).describe();
      return;
    } catch (error) {
      if (!isGone(error)) throw error;
      await delay(exhaustedDelayMs(attempt));
    }
  }
}
