/** Refuses a conversation whose calls and results the API would not accept. */
import { ChatError } from '../../chat/chat-error.ts';
import type { SequencingProblem } from '../../chat/check-sequencing.ts';
import { checkSequencing } from '../../chat/check-sequencing.ts';
import type { Message } from '../../chat/message.ts';

/** The API pairs results by id within the messages that follow a call, in any order. */
const tolerated: ReadonlySet<SequencingProblem> = new Set(['reused_call_id', 'result_order']);

/** @throws ChatError `invalid_request` for the first finding; it names the calls concerned */
export function assertSequencing(messages: readonly Message[]): void {
  const finding = checkSequencing(messages).find(({ problem }) => !tolerated.has(problem));
  if (finding !== undefined) throw new ChatError('invalid_request', finding.path, finding.message);
}
