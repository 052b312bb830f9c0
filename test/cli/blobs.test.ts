/** Collecting garbage of the project's blob store by command. */
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { createFileBlobStore } from '../../src/storage/file-blob-store.ts';
import { startTestHarness } from '../../src/testing/test-harness.ts';
import { sharedBundle } from '../support/harness.ts';
import type { Project } from './cli.ts';
import { makeProject } from './cli.ts';

const agents = {
  speaker: defineAgent({ model: scriptedModel([{ text: 'Done.' }]), instructions: '' }),
};

let harness: Awaited<ReturnType<typeof startTestHarness<typeof agents>>>;
let project: Project;
let blobs: BlobStore;
let folder: string;
const undo: (() => Promise<void>)[] = [];

beforeAll(async () => {
  project = await makeProject({}, {}, (step) => undo.push(step));
  folder = join(project.folder, '.everloop', 'blobs');
  blobs = createFileBlobStore(folder);
  // A server of its own: what others leave on one is needed, too.
  harness = await startTestHarness({ agents, blobs, worker: { workflowBundle: sharedBundle() } });
  project.env['TEMPORAL_ADDRESS'] = harness.address;
  await harness.run('speaker', { id: 'spoken', input: 'Go.' });
});
afterAll(async () => {
  await harness.stop();
  for (const step of undo) await step();
});

/** A project with a blob in its own store. */
async function makeOther(env: Readonly<Record<string, string>>) {
  const other = await makeProject({}, env);
  const store = createFileBlobStore(join(other.folder, '.everloop', 'blobs'));
  const hash = await store.put(Buffer.from(crypto.randomUUID()));
  return { ...other, isKept: () => store.has(hash) };
}

async function putOld(text: string): Promise<string> {
  const hash = await blobs.put(Buffer.from(text));
  await utimes(join(folder, hash.slice(0, 2), hash), new Date(0), new Date(0));
  return hash;
}

async function kept(): Promise<readonly string[]> {
  return (await Array.fromAsync(blobs.list())).map(({ hash }) => hash).toSorted();
}

describe('blobs gc', () => {
  it('removes nothing where no server knows of any run', async () => {
    const other = await makeOther({});
    const { code, stdout, stderr } = await other.run('blobs', 'gc', '--apply', '--yes');
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('there is no server that knows of any run');
    expect(await other.isKept()).toBe(true);
  });

  it('says what could go, and removes it when told to', async () => {
    const needed = await kept();
    expect(needed).toHaveLength(2);
    await putOld('useless');
    await putOld('useless, too');
    const young = await blobs.put(Buffer.from('just written'));
    await writeFile(join(folder, 'drafts', 'broken'), 'half');
    await utimes(join(folder, 'drafts', 'broken'), new Date(0), new Date(0));

    const look = await project.run('blobs', 'gc');
    expect(look.code).toBe(0);
    expect(look.stdout).toMatch(/^5 blobs, .* histories read in default at 127\.0\.0\.1:\d+: 1$/m);
    expect(look.stdout).toMatch(/^needed: {7}2 blobs, /m);
    expect(look.stdout).toMatch(/^too young: {4}1 blob, 12 B, less than 24 hours old$/m);
    expect(look.stdout).toMatch(/^could go: {5}2 blobs, 19 B$/m);
    expect(look.stdout).toMatch(/^broken off: {3}1 draft, 4 B$/m);
    expect(look.stderr).toContain('everloop blobs gc --apply');
    expect(await kept()).toHaveLength(5);

    const done = await project.run('blobs', 'gc', '--apply');
    expect(done.code).toBe(0);
    expect(done.stdout).toContain('removed 2 blobs, 1 draft');
    expect(await kept()).toEqual([...needed, young].toSorted());
    expect(await readdir(join(folder, 'drafts'))).toEqual([]);

    const now = await project.run('blobs', 'gc', '--apply', '--min-age', '0', '--json');
    expect(JSON.parse(now.stdout)).toMatchObject({
      namespaces: ['default'],
      garbage: { count: 1, bytes: 12 },
      applied: true,
      removed: 1,
    });
    expect(await kept()).toEqual(needed);
    const shown = await project.run('show', 'spoken', '--full');
    expect(shown.stdout).toContain('Done.');
  });

  it('asks before it empties a store of which the server names nothing', async () => {
    const other = await makeOther({ TEMPORAL_ADDRESS: harness.address });
    const args = ['blobs', 'gc', '--apply', '--min-age', '0'];
    const asked = await other.run(...args);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('is it the right server?');
    expect(await other.isKept()).toBe(true);
    const told = await other.run(...args, '--yes');
    expect(told.code).toBe(0);
    expect(await other.isKept()).toBe(false);
  });

  it('removes nothing when a namespace is not there', async () => {
    const other = await makeOther({ TEMPORAL_ADDRESS: harness.address });
    const args = ['blobs', 'gc', '--apply', '--yes', '--min-age', '0', '--namespace', 'absent'];
    const { code, stderr } = await other.run(...args);
    expect(code).toBe(4);
    expect(stderr).toContain('there is no namespace absent');
    expect(await other.isKept()).toBe(true);
  });

  it('removes nothing when the server does not answer', async () => {
    const other = await makeOther({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
    const { code, stdout, stderr } = await other.run('blobs', 'gc', '--apply', '--min-age', '0');
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('Nothing was removed');
    expect(await other.isKept()).toBe(true);
  });

  it('takes no age that is none', async () => {
    const { code, stderr } = await project.run('blobs', 'gc', '--min-age', 'young');
    expect(code).toBe(2);
    expect(stderr).toContain('--min-age: "young" is no duration');
  });
});
