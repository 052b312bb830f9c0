/** Remembers every call that reached the local provider server, in memory and as lines of a file. */
import { appendFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';

/** How far a call has come. `cut`: the server itself broke it off, as a misbehaviour asked. */
type CallStatus = 'open' | 'finished' | 'cut' | 'closedByClient';

/** One call as the server saw it. */
export interface RecordedCall {
  /** Ordinal of the call, from 0, over all connections. */
  readonly index: number;
  /** The request body, exactly as received. */
  readonly body: string;
  /** Request headers without credentials. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** SSE events written so far. */
  readonly deltasSent: number;
  readonly status: CallStatus;
}

/** What a line of the log file says happened. */
type CallEvent = 'call-received' | 'first-delta' | 'finished' | 'closed-by-client';

/** One line of the log file. */
export interface CallLogLine {
  readonly event: CallEvent;
  readonly index: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The log of one server. */
interface CallLog {
  received(body: string, headers: IncomingHttpHeaders): OpenCall;
  calls(): RecordedCall[];
}

/** The writing end of one call's record. */
export interface OpenCall {
  readonly index: number;
  readonly status: CallStatus;
  sent(): void;
  ended(status: Exclude<CallStatus, 'open'>): void;
}

/** Creates an empty log. Lines are written synchronously, so that a watcher sees an event before its effects. */
export function createCallLog(logFile: string | undefined): CallLog {
  const records: { -readonly [K in keyof RecordedCall]: RecordedCall[K] }[] = [];
  const write = (event: CallEvent, index: number) => {
    if (logFile === undefined) return;
    const line: CallLogLine = { event, index, at: Date.now() };
    appendFileSync(logFile, `${JSON.stringify(line)}\n`);
  };

  return {
    received(body, headers) {
      const record = {
        index: records.length,
        body,
        headers: withoutCredentials(headers),
        startedAt: Date.now(),
        deltasSent: 0,
        status: 'open' as CallStatus,
      };
      records.push(record);
      write('call-received', record.index);
      return {
        index: record.index,
        get status() {
          return record.status;
        },
        sent() {
          record.deltasSent += 1;
          if (record.deltasSent === 1) write('first-delta', record.index);
        },
        ended(status) {
          if (record.status !== 'open') return;
          record.status = status;
          if (status === 'finished') write('finished', record.index);
          if (status === 'closedByClient') write('closed-by-client', record.index);
        },
      };
    },
    calls: () => records.map((record) => ({ ...record })),
  };
}

const credentials: ReadonlySet<string> = new Set([
  'authorization',
  'api-key',
  'x-api-key',
  'cookie',
]);

function withoutCredentials(headers: IncomingHttpHeaders): RecordedCall['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !credentials.has(name)));
}
