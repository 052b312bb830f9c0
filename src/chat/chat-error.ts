/** The one error of the chat protocol: which concept was violated, where, and why. */

/** What a piece of chat data failed to be; `invalid_value` stands for data without a name of its own. */
export type ChatErrorCode =
  | 'invalid_message'
  | 'invalid_part'
  | 'invalid_tool_call'
  | 'invalid_tool_output'
  | 'invalid_tool_result'
  | 'invalid_tool_definition'
  | 'invalid_tool_choice'
  | 'invalid_output_format'
  | 'unsupported_output_format'
  | 'invalid_options'
  | 'invalid_request'
  | 'invalid_response'
  | 'invalid_usage'
  | 'invalid_citation'
  | 'invalid_value';

/**
 * Chat data that breaks a rule of the protocol.
 *
 * `code` names what was being checked (`invalid_request`), `codes` also every nested concept down to
 * the one that broke (`invalid_request`, `invalid_message`, `invalid_part`), `path` the place
 * (`messages[1].parts[0]`; empty at the top).
 */
export class ChatError extends Error {
  override readonly name = 'ChatError';
  readonly code: ChatErrorCode;
  readonly codes: readonly ChatErrorCode[];
  readonly path: string;

  constructor(
    code: ChatErrorCode,
    path: string,
    problem: string,
    nested: readonly ChatErrorCode[] = [],
  ) {
    super(path === '' ? problem : `${path}: ${problem}`);
    this.code = code;
    this.codes = [code, ...nested];
    this.path = path;
  }
}

/** Whether an error is a {@link ChatError}, and one about `code` (at any depth) if a code is given. */
export function isChatError(error: unknown, code?: ChatErrorCode): error is ChatError {
  return error instanceof ChatError && (code === undefined || error.codes.includes(code));
}
