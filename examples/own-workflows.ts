/** A Workflow of your own that runs an agent as one of its steps. */
import { runAgent } from '../src/workflows/index.ts';

export { everloopAgentRun } from '../src/workflows/index.ts';

/** Lets an agent write, and counts the words. */
export async function wordCount(topic: string): Promise<number> {
  const { output } = await runAgent('writer', { input: `Write about ${topic}.` });
  return output.split(' ').length;
}
