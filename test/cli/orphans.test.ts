/** Sub-agents whose parent is gone, from the command line. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { connectClient } from '../../src/engine/connect.ts';
import { parentAttribute } from '../../src/engine/search-attributes.ts';
import { until } from './cli.ts';
import type { ControlProject } from './control-project.ts';
import { makeControlProject } from './control-project.ts';
import { runHere } from './in-process.ts';

let project: ControlProject;
const undo: (() => Promise<void>)[] = [];
beforeAll(async () => {
  project = await makeControlProject((step) => undo.push(step));
});
afterAll(async () => {
  for (const step of undo.toReversed()) await step();
});

it('lists open sub-agents whose parent is not there, and cancels them', async () => {
  const { client, connection } = await connectClient({
    address: inject('temporalAddress'),
    namespace: 'default',
  });
  undo.push(() => connection.close());
  const known = await project.startedRun('payer', 'waiting:approval');
  const { taskQueue = '' } = await known.snapshot();
  const startBelow = async (parent: string) => {
    const workflowId = `below-${crypto.randomUUID()}`;
    const call = { runId: parent, callId: 'c', depth: 1, root: parent };
    await client.workflow.start('everloopAgentRun', {
      workflowId,
      taskQueue,
      args: [{ start: { agent: 'payer', input: 'Go.', parent: call } }],
      typedSearchAttributes: [{ key: parentAttribute, value: parent }],
    });
    return workflowId;
  };
  const orphan = await startBelow('never-was');
  const child = await startBelow(known.id);
  const listed = await until(async () => {
    const { stdout } = await runHere(project, 'orphans');
    return stdout.includes(orphan) ? stdout : undefined;
  });
  expect(listed).toMatch(new RegExp(`${orphan}.*never-was.*not there`));
  expect(listed).not.toContain(child);
  const cancelled = await runHere(project, 'orphans', '--cancel', '--yes');
  expect(cancelled.stdout).toContain(`run ${orphan} is being cancelled`);
  expect((await project.everloop.run(orphan).result()).stopReason).toBe('cancelled');
  expect((await project.everloop.run(child).snapshot()).status).not.toBe('cancelled');
});
