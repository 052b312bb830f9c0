/** Wrappers and a registry: what goes around tools, for all of them at once. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { createToolRegistry, defineAgent, defineTool, limit, safeTool } from '../src/index.ts';
import { scriptedModel, startTestHarness } from '../src/testing/index.ts';

let running = 0;
let most = 0;
const registry = createToolRegistry();
registry.setWrap((tool) => safeTool()(tool));
for (const name of ['crawl', 'index']) {
  registry.register(
    defineTool({
      name,
      description: `Does some ${name}ing.`,
      input: z.object({ page: z.int() }),
      effect: 'none',
      async execute({ page }) {
        if (page < 0) throw new Error('there is no such page');
        running += 1;
        most = Math.max(most, running);
        await delay(20);
        running -= 1;
        return `page ${page} done`;
      },
    }),
  );
}
const model = scriptedModel([
  {
    calls: [1, 2, 3, -1].flatMap((page) => [
      { name: 'crawl', input: { page } },
      { name: 'index', input: { page } },
    ]),
  },
  { text: 'All pages are done.' },
]);

const [address] = process.argv.slice(2);
const harness = await startTestHarness({
  agents: {
    // At most two of these tools at once in this Worker, whatever the number of runs.
    spider: defineAgent({
      model,
      instructions: 'Crawl.',
      tools: registry,
      wrapTool: [limit({ concurrency: 2 })],
    }),
  },
  ...(address !== undefined && { engine: { address } }),
});
const { result, messages } = await harness.run('spider', 'Crawl it all.');

assert.equal(result.output, 'All pages are done.');
assert.equal(most, 2);
assert.match(JSON.stringify(messages), /there is no such page/);
console.log(`${most} at once at most`);
await harness.stop();
