/** Agents for tests that kill Workers; used by the test and by the Worker processes it starts. */

import { EventEmitter, once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { z } from 'zod';
import type { AgentDefinition } from '../../src/agents/define-agent.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Effect } from '../../src/loop/agent-spec.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

/** Text that makes a tool hang at its first attempt, until it is aborted or killed. */
export const hang = 'hang';

/** A tool that writes `<name> <attempt> <key>` to the ledger when it starts. */
function ledgerTool(name: string, effect: Effect, ledger: string, asks = false) {
  return defineTool({
    name,
    ...(asks && { approve: 'always' as const }),
    description: `Notes the call; effect ${effect}.`,
    input: z.object({ text: z.string() }),
    effect,
    async execute({ text }, { attempt, idempotencyKey, signal }) {
      appendFileSync(ledger, `${name} ${attempt} ${idempotencyKey}\n`);
      // Rejects when it is aborted, as a cancelled request does.
      if (text === hang && attempt === 1) await once(new EventEmitter(), 'never', { signal });
      return `${name}: ${text}`;
    },
  });
}

export function crashAgents(ledger: string): Readonly<Record<string, AgentDefinition>> {
  const tools = [
    ledgerTool('look', 'none', ledger),
    ledgerTool('pay', 'once', ledger),
    ledgerTool('post', 'keyed', ledger),
    ledgerTool('guarded', 'once', ledger, true),
  ];
  const agent = defineAgent({ model: 'openai-chat:test', instructions: 'Work.', tools });
  return { worker: agent };
}
