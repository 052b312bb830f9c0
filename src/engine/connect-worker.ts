/** Connects a Worker to a server; apart from the client's side because this loads native code. */
import { NativeConnection } from '@temporalio/worker';
import type { EngineAddress } from './connect.ts';
import { defaultConnectDeadlineMs } from './connect.ts';
import { engineUnreachable } from './engine-unreachable.ts';

/**
 * Connects and makes sure that a Temporal server answers.
 *
 * @throws EverloopError (`engine_unreachable`) when none does within `deadlineMs`.
 */
export async function connectWorker(options: EngineAddress): Promise<NativeConnection> {
  const { address, tls, apiKey, deadlineMs = defaultConnectDeadlineMs } = options;
  const connecting = NativeConnection.connect({
    address,
    ...(tls === undefined ? {} : { tls }),
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`no answer within ${deadlineMs / 1000} s`));
    // Native code cannot be told to give up: what it still brings is closed.
    connecting.then((connection) => connection.close()).catch(() => undefined);
  }, deadlineMs);
  try {
    return await Promise.race([connecting, late.promise]);
  } catch (error) {
    throw engineUnreachable(address, error);
  } finally {
    clearTimeout(timer);
  }
}
