/** Refuses a conversation whose calls and results a provider would not accept. */
import { ChatError } from '../../chat/chat-error.ts';
import type { SequencingProblem } from '../../chat/check-sequencing.ts';
import { checkSequencing } from '../../chat/check-sequencing.ts';
import type { Message } from '../../chat/message.ts';

/**
 * @param tolerated what the provider accepts all the same
 * @throws ChatError `invalid_request` for the first finding; it names the calls concerned
 */
export function assertSequencing(
  messages: readonly Message[],
  tolerated: ReadonlySet<SequencingProblem>,
): void {
  const finding = checkSequencing(messages).find(({ problem }) => !tolerated.has(problem));
  if (finding !== undefined) throw new ChatError('invalid_request', finding.path, finding.message);
}
