/** Looks at what an Activity returned. Workers return what the types say; anyone with Temporal's own tools may complete an Activity with anything. */
import { isRecord } from '../chat/is-record.ts';
import type { ModelCallResult, ToolRunResult } from './calls.ts';
import type { HookResult } from './hook-changes.ts';
import type { Restored } from './restored.ts';
import type { RunResult } from './run-result.ts';
import type { TranscriptRef } from './transcript-ref.ts';

/** Whether the value can be taken as a model call's result. */
export function isModelCallResult(value: unknown): value is ModelCallResult {
  if (!isRecord(value) || typeof value['finishReason'] !== 'string') return false;
  return value['message'] === undefined || isMessage(value['message'], 'assistant');
}

/** Whether the value can be taken as a tool call's result. */
export function isToolRunResult(value: unknown): value is ToolRunResult {
  if (!isRecord(value)) return false;
  const isUnfinished = value['cancelled'] === true || value['notStarted'] === true;
  return isUnfinished || isMessage(value['message'], 'tool');
}

/** Whether the value can be taken as the place of a sealed transcript. */
export function isTranscriptRef(value: unknown): value is TranscriptRef {
  return (
    isRecord(value) &&
    typeof value['hash'] === 'string' &&
    typeof value['messages'] === 'number' &&
    typeof value['bytes'] === 'number'
  );
}

/** Whether the value can be taken as the answer of hooks. */
export function isHookResult(value: unknown): value is HookResult {
  return (
    isRecord(value) &&
    typeof value['moment'] === 'string' &&
    Array.isArray(value['changes']) &&
    value['changes'].every((each) => isRecord(each) && typeof each['hook'] === 'string')
  );
}

/** Whether the value can be taken as the state at a point of a history. */
export function isRestored(value: unknown): value is Restored {
  if (!isRecord(value) || !isRecord(value['state'])) return false;
  const { how, state } = value;
  const { version, start, transcript, inbox, seen } = value['state'];
  return (
    (how === 'forked' || how === 'rewound' || how === 'retried') &&
    isRecord(state) &&
    version === 1 &&
    isRecord(start) &&
    isRecord(transcript) &&
    isTranscriptRef(transcript['sealed']) &&
    Array.isArray(transcript['tail']) &&
    Array.isArray(inbox) &&
    Array.isArray(seen)
  );
}

/** Whether the value can be taken as the result of a run. */
export function isRunResult(value: unknown): value is RunResult {
  return (
    isRecord(value) &&
    typeof value['stopReason'] === 'string' &&
    typeof value['output'] === 'string' &&
    isRecord(value['usage'])
  );
}

function isMessage(value: unknown, role: string): boolean {
  return (
    isRecord(value) &&
    value['role'] === role &&
    typeof value['id'] === 'string' &&
    Array.isArray(value['parts'])
  );
}
