/** Agents whose Workers are killed: the module that `killWorkerAt` loads in each Worker process. */
import { appendFileSync } from 'node:fs';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { defineConfig } from '../../src/config.ts';
import type { Effect } from '../../src/loop/agent-spec.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

/** Variable with the file in which the tools write what they do. */
export const ledgerVariable = 'KILLED_AGENTS_LEDGER';

function noting(name: string, effect: Effect) {
  return defineTool({
    name,
    description: `Notes the call; effect ${effect}.`,
    input: z.object({}),
    effect,
    execute: (_, { idempotencyKey }) => {
      appendFileSync(process.env[ledgerVariable] ?? '', `${name} ${idempotencyKey}\n`);
      return `${name} done`;
    },
  });
}

const tools = [noting('look', 'none'), noting('pay', 'once'), noting('post', 'keyed')];
const model = scriptedModel([
  { text: 'I look first.', calls: [{ name: 'look' }] },
  { text: 'Now I pay and post.', calls: [{ name: 'pay' }, { name: 'post' }] },
  { text: 'All is done.' },
]);

/** Serial, so that the tools are always met in the same order. */
// biome-ignore lint/style/noDefaultExport: a configuration
export default defineConfig({
  agents: { worker: defineAgent({ model, instructions: 'Work.', tools, serialTools: true }) },
});
