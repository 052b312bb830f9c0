/** Budgets on the command line: how they are given, and how a run that they stopped is shown. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { Project } from './cli.ts';
import { imports, makeProject } from './cli.ts';

const config = `${imports}
  export default defineConfig({
    taskQueue: 'budget-${crypto.randomUUID()}',
    prices: { tireless: { input: 1, output: 10 } },
    agents: {
      tireless: defineAgent({
        model: scriptedModel(
          ({ messages }) => ({
            calls: [{ id: 'c' + messages.length, name: 'echo', input: {} }],
            usage: { inputTokens: 1000, outputTokens: 100 },
          }),
          { name: 'tireless' },
        ),
        instructions: '',
        options: { maxOutputTokens: 200 },
        tools: [defineTool({
          name: 'echo', description: 'Echoes.', effect: 'none', input: z.object({}),
          execute: () => 'again',
        })],
      }),
    },
  });`;

let project: Project;
const undo: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };
  project = await makeProject({ 'everloop.config.ts': config }, env, (step) => undo.push(step));
  await project.start('worker').said('Worker for');
});

afterAll(async () => {
  for (const step of undo) await step();
});

it('run takes a limit in dollars, warns near it, and says what the run cost', async () => {
  const { code, stderr } = await project.run('run', 'tireless', 'Go.', '--budget-usd', '.0073');
  expect(code).toBe(1);
  expect(stderr).toContain('(budget: $0.0060 of $0.0073 spent)');
  expect(stderr).toMatch(/budget: The run stopped at its budget of \$0\.0073: /);
  expect(stderr).toMatch(/\(3 iterations, 3,300 tokens, \$0\.0060\)\n$/);
});

it('show and ls tell cost and limits of a run that was started with them', async () => {
  const id = `budget-${crypto.randomUUID()}`;
  const limits = ['--budget-tokens', '4000', '--budget-usd', '3'];
  const ran = await project.run('run', 'tireless', 'Go.', '--id', id, ...limits);
  expect(ran.code).toBe(1);
  const shown = await project.run('show', id);
  expect(shown.stdout).toContain('cost: $0.0060\n');
  expect(shown.stdout).toContain('budget: 3,300 of 4,000 tokens (82 %), $0.0060 of $3.00 (0 %)\n');
  const asJson = JSON.parse((await project.run('show', id, '--json')).stdout);
  expect(asJson).toMatchObject({
    costUsd: 0.006,
    budget: [
      { limit: 'tokens', allowed: 4_000, spent: 3_300 },
      { limit: 'usd', allowed: 3, spent: 0.006 },
    ],
  });
  const listed = await project.run('ls', '--query', `WorkflowId = '${id}'`);
  expect(listed.stdout).toContain('\t3,300\t$0.0060\tGo.\t');
});

it.each([
  ['--budget-usd', '0'],
  ['--budget-usd', 'much'],
  ['--budget-usd', '-1'],
  ['--budget-tokens', '1.5'],
])('refuses %s %s before anything is started', async (option, value) => {
  const { code, stderr } = await project.run('start', 'tireless', 'Go.', `${option}=${value}`);
  expect(code).toBe(2);
  expect(stderr).toContain(option);
});
