/** The error for an answer that breaks the rules of its API. */
import { ModelError } from '../../chat/model-error.ts';

/** Worth another try: such streams come from gateways in trouble. */
export function invalidResponse(message: string): ModelError {
  return new ModelError(message, { kind: 'invalid_response' });
}
