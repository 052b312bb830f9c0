/** Makes a local provider server fail where a script says that the model fails. */
import type { ResolvedAnswer, ScriptedError } from '../../models/scripted.ts';
import type { Misbehaviour } from './misbehaviour.ts';
import type { WireAnswer, WireFormat } from './wire-format.ts';

/** What goes wrong with a scripted answer by its own script; undefined when it comes to its end. */
export function scriptedMisbehaviour(
  format: WireFormat,
  scripted: ResolvedAnswer,
  answer: WireAnswer,
): Misbehaviour | undefined {
  if (scripted.stallAfter !== undefined) {
    return { kind: 'stall', afterChunks: eventsUpTo(scripted.stallAfter, answer) };
  }
  if (scripted.error === undefined) return undefined;
  return failure(format, scripted.error, answer);
}

/** How many events come before the delta that is not sent any more; none of the terminal ones. */
function eventsUpTo(deltas: number, { events, terminalEvents }: WireAnswer): number {
  const positions = events.flatMap(({ isDelta }, position) => (isDelta ? [position] : []));
  return positions[deltas] ?? events.length - terminalEvents;
}

function failure(format: WireFormat, given: ScriptedError, answer: WireAnswer): Misbehaviour {
  const { kind, retryAfterMs } = given;
  const saysNothing = !answer.events.some(({ isDelta }) => isDelta);
  const afterChunks = answer.events.length - answer.terminalEvents;
  if (kind === 'connection' && saysNothing) return { kind: 'drop' };
  if (kind === 'connection' || kind === 'stream_cut') return { kind: 'cut', afterChunks };
  if (kind === 'invalid_response') return { kind: 'malformed', afterChunks };
  const { type, code, status, ...spoken } = format.errorOf(kind);
  const message = given.message ?? spoken.message;
  const error = {
    type: given.providerType ?? type,
    code: given.code ?? code,
    ...(message === undefined ? {} : { message }),
  };
  // Where nothing was said the call fails as a whole.
  if (!saysNothing) return { kind: 'error_in_stream', afterChunks, error };
  const headers = retryAfterMs === undefined ? {} : { 'retry-after-ms': String(retryAfterMs) };
  return { kind: 'status', status: given.status ?? status, headers, error };
}
