/** The error for what a request says and a provider has no words for. */
import type { ChatErrorCode } from '../../chat/chat-error.ts';
import { ChatError } from '../../chat/chat-error.ts';

/**
 * An `invalid_request` that names the member.
 * @param nested the concepts around the member, outermost first, as the protocol's own checks name them
 */
export function notExpressible(
  path: string,
  problem: string,
  ...nested: readonly ChatErrorCode[]
): ChatError {
  return new ChatError('invalid_request', path, problem, nested);
}
