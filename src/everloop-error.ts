/** The errors that reach users of the client and the CLI, under one list of codes. */

/** Every code an {@link EverloopError} can carry: the same in TypeScript and in the CLI. */
export const errorCodes = [
  /** The configuration or the machine is not fit to start: for the operator. */
  'configuration',
  /** No Temporal server answers at the address. */
  'engine_unreachable',
  /** The embedded Temporal server could not be started. */
  'engine_failed',
  /** No such run, message, iteration or file. */
  'not_found',
  /** No agent of that name is known. */
  'unknown_agent',
  /** No model of that name is known. */
  'unknown_model',
  /** A run with that id was started before. */
  'run_exists',
  /** The run has decided to stop and takes no more messages. */
  'run_ending',
  /** The run failed without a result of its own. */
  'run_failed',
  /** The run was terminated, so it has no result. */
  'terminated',
  /** The input does not fit its schema. */
  'invalid_input',
  /** The messages that the run would go on from end with an answer: it needs something to answer to. */
  'input_required',
  /** The caller may not do this. */
  'unauthorized',
  /** So much waits to be read by the run that it takes no more until its next iteration. */
  'inbox_full',
  /** The run refused the message: its state does not allow it. */
  'rejected',
  /** Nothing is kept under that hash in the blob store. */
  'blob_missing',
  /** The blob store cannot read or write, or what it holds is damaged. */
  'blob_store_failed',
] as const;

/** One of {@link errorCodes}. */
export type ErrorCode = (typeof errorCodes)[number];

/** What an {@link EverloopError} may say besides its code and message. */
export interface EverloopErrorOptions {
  /** The line that says what to do. */
  readonly hint?: string;
  /** The error underneath. */
  readonly cause?: unknown;
}

/** An error that a person can act on: `message` says what and why, `hint` what to do. */
export class EverloopError extends Error {
  override readonly name: string = 'EverloopError';
  readonly code: ErrorCode;
  // Declared only: an error without a hint has no such property, in its JSON neither.
  declare readonly hint?: string;

  constructor(code: ErrorCode, message: string, options: EverloopErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    if (options.hint !== undefined) this.hint = options.hint;
  }
}

/** One thing wrong: the place (file and path, variable, flag) and what is the matter there. */
export interface ConfigurationProblem {
  readonly where: string;
  readonly what: string;
}

/** All problems of a configuration at once, found before anything is connected. */
export class ConfigurationError extends EverloopError {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly ConfigurationProblem[];

  constructor(
    summary: string,
    problems: readonly ConfigurationProblem[],
    options: EverloopErrorOptions = {},
  ) {
    const lines = problems.map(({ where, what }) => `  ${where}: ${what}`);
    super('configuration', [summary, ...lines].join('\n'), options);
    this.problems = problems;
  }
}
