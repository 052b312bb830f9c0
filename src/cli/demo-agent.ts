/** The demo's agent: the built-in one, its tools keeping a ledger and writing nothing but the report. */
import { fileTools } from '../abilities/file-tools/file-tools.ts';
import type { AgentDefinition } from '../agents/define-agent.ts';
import { defineAgent } from '../agents/define-agent.ts';
import { demoInstructions, demoReportName } from '../config-built-in.ts';
import type { Tool } from '../tools/define-tool.ts';
import { withLedger } from './demo-ledger.ts';

/** What the demo's Worker is told. */
export interface DemoAgentOptions {
  readonly model: string;
  /** The folder that the agent looks at. */
  readonly root: string;
  /** The folder that the report goes to. */
  readonly reportFolder: string;
  readonly ledger: string;
  /** Tools of which the very first call waits to be killed. */
  readonly pauseAt: readonly string[];
}

/** Makes the agent. */
export function demoAgent(options: DemoAgentOptions): AgentDefinition {
  const { model, root, reportFolder, ledger, pauseAt } = options;
  const readers = fileTools(root).filter((tool) => tool.name !== 'write_file');
  const writers = fileTools(reportFolder).filter((tool) => tool.name === 'write_file');
  const tools = [...readers, ...writers.map(onlyTheReport).map(withApproval)];
  return defineAgent({
    model,
    instructions: demoInstructions,
    tools: tools.map((tool) => withLedger(tool, ledger, pauseAt)),
    onMaxIterations: 'finish',
  });
}

/** A tour must not change anybody's files. */
function onlyTheReport(tool: Tool): Tool {
  return {
    ...tool,
    run(input, context) {
      if (input['path'] === demoReportName) return tool.run(input, context);
      return Promise.reject(new Error(`only ${demoReportName} may be written here`));
    },
  };
}

/** Nothing is written before somebody says so. */
function withApproval(tool: Tool): Tool {
  return { ...tool, approve: { when: 'always' } };
}
