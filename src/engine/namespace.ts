/** A namespace of a Temporal server: whether it is there, and how long it keeps closed runs. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import { msToTs, optionalTsToMs } from '@temporalio/common/lib/time.js';
import { EverloopError } from '../everloop-error.ts';
import { permitted } from './permitted.ts';

/** Replay, rewind and retry of a closed run reach as far back as its history is kept. */
export const leastRetentionDays = 30;

/** What is needed of a connection; Temporal's connections have it. */
export type NamespaceService = Pick<Connection, 'workflowService'>;

/** What a namespace is like. */
export interface NamespaceDescription {
  readonly retentionDays: number;
  /** Whether it takes Updates, by which runs are sent messages; old servers have them switched off. */
  readonly takesUpdates: boolean;
}

/** gRPC `NOT_FOUND` and `ALREADY_EXISTS`. */
const notFound = 5;
const alreadyExists = 6;

const dayMs = 24 * 60 * 60 * 1000;

/** Servers refresh their list of namespaces each 10 s, some each minute. */
const registrationTimeoutMs = 90_000;
const lookMs = 200;

/** Looks at a namespace; undefined when the server has none of that name. */
export async function describeNamespace(
  { workflowService }: NamespaceService,
  namespace: string,
): Promise<NamespaceDescription | undefined> {
  try {
    const { config, namespaceInfo } = await permitted(
      workflowService.describeNamespace({ namespace }),
      `look at namespace ${namespace}`,
      'give its key the right to read the namespace',
    );
    return {
      retentionDays: (optionalTsToMs(config?.workflowExecutionRetentionTtl) ?? 0) / dayMs,
      takesUpdates: namespaceInfo?.capabilities?.syncUpdate === true,
    };
  } catch (error) {
    if (isGrpcServiceError(error) && error.code === notFound) return undefined;
    throw error;
  }
}

/**
 * Makes the namespace; all is well when somebody else just did.
 *
 * @throws EverloopError (`unauthorized`) when the server does not let this client.
 */
export async function createNamespace(
  { workflowService }: NamespaceService,
  namespace: string,
  retentionDays: number,
): Promise<void> {
  try {
    await permitted(
      workflowService.registerNamespace({
        namespace,
        workflowExecutionRetentionPeriod: msToTs(retentionDays * dayMs),
      }),
      `create namespace ${namespace}`,
      `have its administrator create it, with a retention of ${retentionDays} days`,
    );
  } catch (error) {
    if (!isGrpcServiceError(error) || error.code !== alreadyExists) throw error;
  }
}

/**
 * Keeps closed runs for this many days from now on.
 *
 * @throws EverloopError (`unauthorized`) when the server does not let this client.
 */
export async function setRetention(
  { workflowService }: NamespaceService,
  namespace: string,
  retentionDays: number,
): Promise<void> {
  await permitted(
    workflowService.updateNamespace({
      namespace,
      config: { workflowExecutionRetentionTtl: msToTs(retentionDays * dayMs) },
    }),
    `change the retention of namespace ${namespace}`,
    `have its administrator set it to ${retentionDays} days`,
  );
}

/**
 * What `look` answers once every part of the server knows a namespace that was made just now.
 *
 * @throws EverloopError (`engine_failed`) when that takes too long.
 */
export async function onceKnown<T>(namespace: string, look: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + registrationTimeoutMs;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (!isGrpcServiceError(error) || error.code !== notFound) throw error;
      if (Date.now() > deadline) {
        throw new EverloopError('engine_failed', `the server does not yet know ${namespace}`, {
          hint: 'try again in a minute',
          cause: error,
        });
      }
      await delay(lookMs);
    }
  }
}
