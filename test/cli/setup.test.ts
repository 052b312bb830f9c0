/** Making a server ready: on the embedded one, in namespaces of their own. */
import { describe, expect, inject, it } from 'vitest';
import { connectClient } from '../../src/engine/connect.ts';
import { describeNamespace, setRetention } from '../../src/engine/namespace.ts';
import { everloopSearchAttributes } from '../../src/engine/search-attributes.ts';
import { inspectCluster, setUpCluster } from '../../src/engine/set-up-cluster.ts';
import type { Project } from './cli.ts';
import { makeProject } from './cli.ts';

const names = everloopSearchAttributes.map(({ name }) => name).join(', ');

async function projectIn(namespace: string): Promise<Project> {
  return await makeProject(
    {},
    { TEMPORAL_ADDRESS: inject('temporalAddress'), TEMPORAL_NAMESPACE: namespace },
  );
}

async function onServer<T>(
  work: (connection: Awaited<ReturnType<typeof connectClient>>['connection']) => Promise<T>,
): Promise<T> {
  const address = inject('temporalAddress');
  const { connection } = await connectClient({ address, namespace: 'default' });
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

describe('setup', () => {
  it('makes a namespace ready for runs, and changes nothing the second time', {
    timeout: 120_000,
  }, async () => {
    const namespace = `setup-${crypto.randomUUID()}`;
    const project = await projectIn(namespace);
    const before = await project.run('setup', '--check');
    expect([before.code, before.stdout]).toEqual([
      1,
      `missing  namespace: ${namespace} does not exist\n`,
    ]);
    expect(before.stderr).toContain('everloop setup --create-namespace');

    const refused = await project.run('setup');
    expect([refused.code, refused.stdout]).toEqual([4, '']);
    expect(refused.stderr).toContain(`there is no namespace ${namespace}`);
    expect(refused.stderr).toContain('--create-namespace');

    const made = await project.run('setup', '--create-namespace');
    expect([made.code, made.stdout]).toEqual([
      0,
      `done     namespace: ${namespace}\n` +
        'done     retention: closed runs are kept for 30 days\n' +
        `done     search attributes: ${names}\n`,
    ]);
    const again = await project.run('setup', '--create-namespace');
    expect([again.code, again.stdout]).toEqual([
      0,
      `present  namespace: ${namespace}\n` +
        'present  retention: closed runs are kept for 30 days\n' +
        `present  search attributes: ${names}\n`,
    ]);
    const checked = await project.run('setup', '--check', '--json');
    expect(checked.code).toBe(0);
    const lines: { item: string; status: string }[] = checked.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { item: 'namespace', status: 'present', namespace, address: inject('temporalAddress') },
      { item: 'retention', status: 'present' },
      { item: 'search_attributes', status: 'present' },
    ]);
    // The server does take runs with these attributes now.
    expect((await project.run('start', 'assistant', 'hello')).code).toBe(0);
  });

  it('raises a short retention and leaves a longer one as it is', {
    timeout: 120_000,
  }, async () => {
    const namespace = `retention-${crypto.randomUUID()}`;
    await onServer(async (connection) => {
      await setUpCluster(connection, { namespace, createNamespace: true });
      await setRetention(connection, namespace, 1.5);
      const [, short] = await inspectCluster(connection, namespace);
      expect(short).toEqual({
        item: 'retention',
        status: 'missing',
        detail: 'closed runs are kept for 1.5 days, less than 30',
      });
      const [, raised] = await setUpCluster(connection, { namespace, createNamespace: false });
      expect(raised).toEqual({
        item: 'retention',
        status: 'done',
        detail: 'closed runs are kept for 30 days, no longer for 1.5 days',
      });
      await setRetention(connection, namespace, 365);
      const [, kept] = await setUpCluster(connection, { namespace, createNamespace: false });
      expect(kept?.status).toBe('present');
      expect(await describeNamespace(connection, namespace)).toEqual({
        retentionDays: 365,
        takesUpdates: true,
      });
    });
  });

  it('ends with exit code 3 where no engine is running', async () => {
    const project = await makeProject();
    const { code, stdout, stderr } = await project.run('setup');
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('everloop dev');
  });
});
