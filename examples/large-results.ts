/** Large results and images stay out of history: the model sees the ends of a long text and reads the rest in parts. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { defineAgent, defineTool } from '../src/index.ts';
import { scriptedModel, startTestHarness } from '../src/testing/index.ts';

const log = defineTool({
  name: 'log',
  description: 'Reads the log.',
  input: z.object({}),
  effect: 'none',
  execute: () =>
    Array.from({ length: 100_000 }, (_, line) => `line ${line}: all is well`).join('\n'),
});
const model = scriptedModel(({ messages }) => {
  const seen = JSON.stringify(messages);
  const [hash] = /[0-9a-f]{64}/.exec(seen) ?? [];
  const calls = messages.filter((message) => message.role === 'assistant').length;
  if (calls === 0) return { calls: [{ name: 'log' }] };
  if (calls === 1 && hash !== undefined) {
    return { calls: [{ name: 'read_result', input: { result: hash, offset: 50_000, limit: 2 } }] };
  }
  return {
    text: /line 50000: all is well/.test(seen) ? 'Line 50,000 is well.' : 'I cannot see it.',
  };
});

const [address] = process.argv.slice(2);
const harness = await startTestHarness({
  agents: { reader: defineAgent({ model, instructions: 'Read.', tools: [log] }) },
  ...(address !== undefined && { engine: { address } }),
});
const { run, result } = await harness.run('reader', 'What does line 50,000 say?');

assert.equal(result.output, 'Line 50,000 is well.');
const { parts } = await run.recorded();
const bytes = JSON.stringify(parts.map((part) => part.events)).length;
assert.ok(bytes < 500_000, `${bytes} bytes of history for a result of three million`);
console.log(result.output);
await harness.stop();
