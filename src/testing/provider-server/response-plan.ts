/** Decides, before anything is sent, what the local provider server writes for one call. */
import type { Misbehaviour } from './misbehaviour.ts';
import type { WireAnswer, WireFormat } from './wire-format.ts';

/** What is written, how fast, and what happens after it. */
export interface ResponsePlan {
  /** Absent: not even headers are sent. */
  readonly head?: { readonly status: number; readonly headers: Readonly<Record<string, string>> };
  /** Written one by one; for a stream each is one SSE event. */
  readonly pieces: readonly string[];
  /** How many of the first pieces are events of the answer; the others are bodies, errors and what closes a stream. */
  readonly deltas: number;
  readonly beforeMs: number;
  readonly betweenMs: number;
  /** `hang`: the connection stays open without another byte. `destroy`: the socket is closed at once. */
  readonly ending: 'end' | 'hang' | 'destroy';
}

const eventStream = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};
const json = { 'content-type': 'application/json' };

/** The plan of a call that gets a JSON body and nothing else. */
export function planJson(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): ResponsePlan {
  return {
    head: { status, headers: { ...json, ...headers } },
    pieces: [JSON.stringify(body)],
    deltas: 0,
    beforeMs: 0,
    betweenMs: 0,
    ending: 'end',
  };
}

/** The plan of a call that fails as a whole; undefined when the misbehaviour is one of the answer itself. */
export function planFailure(
  format: WireFormat,
  misbehaviour: Misbehaviour | undefined,
): ResponsePlan | undefined {
  const nothing = { pieces: [], deltas: 0, beforeMs: 0, betweenMs: 0 } as const;
  switch (misbehaviour?.kind) {
    case 'status': {
      const { status, error = {}, headers } = misbehaviour;
      return planJson(status, format.errorBody(status, error), headers);
    }
    case 'html':
      return {
        ...nothing,
        head: { status: misbehaviour.status ?? 200, headers: { 'content-type': 'text/html' } },
        pieces: ['<!doctype html>\n<html><body><h1>Bad Gateway</h1></body></html>\n'],
        ending: 'end',
      };
    case 'drop':
      return { ...nothing, ending: 'destroy' };
    case 'stall':
      return misbehaviour.afterChunks === undefined ? { ...nothing, ending: 'hang' } : undefined;
    default:
      return undefined;
  }
}

/** The plan of a streamed answer. */
export function planStream(
  format: WireFormat,
  answer: WireAnswer,
  misbehaviour: Misbehaviour | undefined,
  chunkDelayMs: number,
): ResponsePlan {
  const events = answer.events.map(({ text }) => text);
  const first = (count: number, ...more: readonly string[]) => {
    const sent = events.slice(0, count);
    return { pieces: [...sent, ...more], deltas: sent.length };
  };
  const whole: ResponsePlan = {
    head: { status: 200, headers: eventStream },
    ...first(events.length, ...answer.closing),
    beforeMs: 0,
    betweenMs: chunkDelayMs,
    ending: 'end',
  };
  switch (misbehaviour?.kind) {
    case 'slow': {
      const { beforeMs = 0, betweenMs = chunkDelayMs } = misbehaviour;
      return { ...whole, beforeMs, betweenMs };
    }
    case 'stall':
      return { ...whole, ...first(misbehaviour.afterChunks ?? 0), ending: 'hang' };
    case 'cut':
      return { ...whole, ...first(misbehaviour.afterChunks), ending: 'destroy' };
    case 'malformed':
      return { ...whole, ...first(misbehaviour.afterChunks ?? 1, format.malformedEvent) };
    case 'no_terminal':
      return { ...whole, ...first(events.length - answer.terminalEvents) };
    case 'error_in_stream': {
      const error = format.errorEvent(500, misbehaviour.error ?? {});
      return { ...whole, ...first(misbehaviour.afterChunks ?? 1, error) };
    }
    default:
      return whole;
  }
}

/** The plan of an answer in one piece, as far as a misbehaviour has a meaning there. */
export function planWhole(
  format: WireFormat,
  answer: WireAnswer,
  misbehaviour: Misbehaviour | undefined,
): ResponsePlan {
  const whole = planJson(200, answer.body);
  const half = whole.pieces.map((text) => text.slice(0, text.length / 2));
  switch (misbehaviour?.kind) {
    case 'slow':
      return { ...whole, beforeMs: misbehaviour.beforeMs ?? 0 };
    case 'stall':
      return { ...whole, pieces: half, ending: 'hang' };
    case 'cut':
      return { ...whole, pieces: half, ending: 'destroy' };
    case 'malformed':
      return { ...whole, pieces: half };
    case 'error_in_stream':
      return planJson(200, format.errorBody(500, misbehaviour.error ?? {}));
    default:
      return whole;
  }
}
