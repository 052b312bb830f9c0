/** A Workflow that fails its first task. */
export async function everloopAgentRun(): Promise<void> {
  throw new Error('a bug in the loop');
}
