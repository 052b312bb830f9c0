/** The wrapper `safeTool`: whatever a tool throws reaches the model with its circumstances. */
import { cutText } from '../../loop/cut-text.ts';
import { InvalidToolInput, RetryableError } from '../../tools/define-tool.ts';
import type { ToolWrapper } from '../../tools/wrap-tool.ts';

/** Enough to know the call by; the model has written the whole of it. */
const inputLength = 200;

/**
 * Makes an error result of whatever the tool throws, which says in which attempt and with which input. A
 * RetryableError is one only once there is no attempt left; what a cancelled tool throws stays what it is.
 */
export function safeTool(): ToolWrapper {
  return (next) => ({
    ...next,
    async run(input, context) {
      try {
        return await next.run(input, context);
      } catch (error) {
        const { attempt, signal } = context;
        // The message of invalid input names the fields already.
        if (signal.aborted || error instanceof InvalidToolInput) throw error;
        if (error instanceof RetryableError && attempt < next.maxAttempts) throw error;
        const shown = cutText(JSON.stringify(input), inputLength);
        throw new Error(`attempt ${attempt} with input ${shown}`, { cause: error });
      }
    },
  });
}
