/** Connects a Temporal client to a server. */
import type { ClientOptions, TLSConfig } from '@temporalio/client';
import { Client, Connection, makeGrpcRetryInterceptor } from '@temporalio/client';
import { engineUnreachable } from './engine-unreachable.ts';
import { grpcRetryOptions } from './grpc-retry.ts';

/** Where the server is and how it lets one in. */
export interface EngineAddress {
  /** `host:port`. */
  readonly address: string;
  readonly tls?: TLSConfig | boolean;
  readonly apiKey?: string;
  /** How long to try, in milliseconds; 5 s when not said. */
  readonly deadlineMs?: number;
}

/** What a client needs besides. */
export interface ConnectClientOptions extends EngineAddress {
  readonly namespace: string;
  /** Data converter, interceptors, plugins. */
  readonly client?: Omit<ClientOptions, 'connection' | 'namespace'>;
}

/** A client with the connection it holds; whoever asked for it closes the connection. */
export interface ConnectedClient {
  readonly client: Client;
  readonly connection: Connection;
}

/** A server on this machine answers in milliseconds, one across the world in a second or two. */
export const defaultConnectDeadlineMs = 5_000;

/**
 * Connects and makes sure that a Temporal server answers.
 *
 * @throws EverloopError (`engine_unreachable`) when none does within `deadlineMs`.
 */
export async function connectClient(options: ConnectClientOptions): Promise<ConnectedClient> {
  const { address, tls, apiKey, deadlineMs = defaultConnectDeadlineMs } = options;
  const connection = Connection.lazy({
    address,
    connectTimeout: deadlineMs,
    interceptors: [makeGrpcRetryInterceptor(grpcRetryOptions)],
    // gRPC waits a second, then up to two minutes; a restarted server is back sooner than either.
    channelArgs: {
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 5_000,
      // A page of history with large results is larger than gRPC's 4 MB.
      'grpc.max_receive_message_length': -1,
    },
    ...(tls === undefined ? {} : { tls }),
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  try {
    await connection.ensureConnected();
  } catch (error) {
    await connection.close();
    throw engineUnreachable(address, error);
  }
  const client = new Client({ ...options.client, connection, namespace: options.namespace });
  return { client, connection };
}
