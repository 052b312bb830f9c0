/** The agent as it runs in production, on an engine of its own, with a provider that follows a script: no key, no cost. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startOpenAiChatServer } from 'everloop/testing';
import { expect, test } from 'vitest';

const project = join(import.meta.dirname, '..');

/** Runs an agent of this project and returns its result. The folder keeps the engine of `everloop dev` out of it. */
async function run(agent: string, input: string, providerUrl: string): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'everloop-test-'));
  try {
    const everloop = join(project, 'node_modules', '.bin', 'everloop');
    const config = join(project, 'everloop.config.ts');
    const { stdout } = await promisify(execFile)(
      everloop,
      ['--config', config, 'run', agent, input, '--json'],
      {
        cwd: folder,
        env: {
          ...process.env,
          TEMPORAL_ADDRESS: '',
          OPENAI_API_KEY: 'none',
          OPENAI_BASE_URL: providerUrl,
        },
      },
    );
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('support looks the order up before it answers', { timeout: 120_000 }, async () => {
  const provider = await startOpenAiChatServer({
    script: [
      { calls: [{ name: 'order_status', input: { orderId: '4711' } }] },
      { text: 'It arrives tomorrow.' },
    ],
  });
  try {
    const result = await run('support', 'Where is order 4711?', provider.url);
    expect(result).toMatchObject({ stopReason: 'completed', output: 'It arrives tomorrow.' });
    // What the tool said is in the second request to the model.
    const [, second] = provider.calls();
    expect(second?.body).toContain('Order 4711 is on its way and arrives tomorrow.');
  } finally {
    await provider.close();
  }
});
