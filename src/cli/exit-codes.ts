/** Exit codes of the program. */
import { CommanderError } from 'commander';
import type { ErrorCode } from '../everloop-error.ts';
import { EverloopError } from '../everloop-error.ts';
import { Interrupted } from './interrupted.ts';

/** What each exit code says. */
export const exitCode = {
  ok: 0,
  /** Another stop reason than `completed`, a failed check, an unexpected error. */
  failed: 1,
  /** Wrong usage, configuration or input. */
  usage: 2,
  /** The engine cannot be reached or started. */
  engine: 3,
  notFound: 4,
  interrupted: 130,
} as const;

const ofError: Readonly<Record<ErrorCode, number>> = {
  configuration: exitCode.usage,
  unknown_agent: exitCode.usage,
  unknown_model: exitCode.usage,
  run_exists: exitCode.usage,
  invalid_input: exitCode.usage,
  input_required: exitCode.usage,
  engine_unreachable: exitCode.engine,
  engine_failed: exitCode.engine,
  not_found: exitCode.notFound,
  run_ending: exitCode.failed,
  terminated: exitCode.failed,
  run_failed: exitCode.failed,
  unauthorized: exitCode.failed,
  rejected: exitCode.failed,
  inbox_full: exitCode.failed,
  blob_missing: exitCode.notFound,
  blob_store_failed: exitCode.failed,
};

/** The exit code for what a command threw. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) return exitCode.interrupted;
  if (error instanceof EverloopError) return ofError[error.code];
  // Help and version come as errors with code 0; every other one is about usage.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
  return exitCode.failed;
}
