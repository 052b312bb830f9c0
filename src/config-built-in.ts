/** The agents that are there without a configuration file. */
import { fileTools } from './abilities/file-tools/file-tools.ts';
import type { AgentDefinition } from './agents/define-agent.ts';
import { defineAgent } from './agents/define-agent.ts';

/** What the built-in agents are made with. */
export interface BuiltInOptions {
  /** The folder whose files they work on. */
  readonly root: string;
  readonly model: string;
}

/** The file that the demo agent writes. */
export const demoReportName = 'everloop-demo-report.md';

/** Instructions of the demo agent. */
export const demoInstructions = `You look at the files of one folder and write a short report about it.
Work like this: list the files with list_files; read the README and package.json, or what comes closest, with read_file; search for TODO with search; then write the report to ${demoReportName} with write_file, in Markdown: what the project is, which files matter, their number and kinds, what is left to do. Take every fact from the files. End with one sentence that says what you found.`;

/** `assistant`, for anything on the files of the folder, and `demo`, which reports on them. */
export function builtInAgents(
  options: BuiltInOptions,
): Readonly<Record<'assistant' | 'demo', AgentDefinition>> {
  const { root, model } = options;
  return {
    assistant: defineAgent({
      model,
      instructions:
        'You help with the files of one folder and answer questions. Look at the files before you say anything about them, and say what you have changed.',
      tools: fileTools(root),
      maxIterations: 32,
      onMaxIterations: 'finish',
    }),
    demo: defineAgent({ model, instructions: demoInstructions, tools: fileTools(root) }),
  };
}
