import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectClient } from '../../src/engine/connect.ts';
import { startDevServer } from '../../src/engine/dev-server.ts';
import { findTemporalCli } from '../../src/engine/find-temporal-cli.ts';
import { freePort } from '../../src/engine/ports.ts';
import { isRunning } from '../../src/engine/process-command.ts';
import {
  everloopSearchAttributes,
  missingSearchAttributes,
} from '../../src/engine/search-attributes.ts';
import { connect, refusal, startServer } from './started-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

describe('the embedded server', () => {
  it('keeps closed runs for 90 days and knows the search attributes, in a namespace of one’s own', async () => {
    const folder = await temporaryFolder();
    const { address } = await startServer({
      databaseFile: join(folder, 'a.db'),
      namespace: 'mine',
    });
    const { connection } = await connect(address, 'mine');
    const { config } = await connection.workflowService.describeNamespace({ namespace: 'mine' });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(90 * 24 * 3600);
    expect(await missingSearchAttributes(connection, 'mine')).toEqual([]);
  });

  it('loses no run when it is killed and started again on its database', async () => {
    const databaseFile = join(await temporaryFolder(), 'a.db');
    const first = await startServer({ databaseFile });
    const before = await connect(first.address);
    const ids = ['one', 'two', 'three'];
    for (const workflowId of ids) {
      await before.client.workflow.start('anything', {
        workflowId,
        taskQueue: 'nobody',
        typedSearchAttributes: [{ key: everloopSearchAttributes[0], value: 'writer' }],
      });
    }
    expect(await readdir(dirname(databaseFile))).toContain('a.db-wal');
    first.kill();
    expect(await first.exited).toMatchObject({ code: null, signal: 'SIGKILL' });

    const second = await startServer({ databaseFile });
    const after = await connect(second.address);
    const query = 'EverloopAgent = "writer" AND ExecutionStatus = "Running"';
    const listed = async () => {
      const found: string[] = [];
      for await (const { workflowId } of after.client.workflow.list({ query })) {
        found.push(workflowId);
      }
      return found.sort();
    };
    expect(
      await vi.waitUntil(async () => (await listed()).length === ids.length && listed()),
    ).toEqual(ids.toSorted());
    const history = await after.client.workflow.getHandle('two').fetchHistory();
    expect(history.events?.length).toBe(2);
  });

  it('stops in order, frees its address and leaves no note beside the database', async () => {
    const folder = await temporaryFolder();
    const server = await startServer({ databaseFile: join(folder, 'sub', 'a.db') });
    await server.stop();
    expect(await server.exited).toMatchObject({ code: 0 });
    const { address } = server;
    await expect(
      connectClient({ address, namespace: 'default', deadlineMs: 200 }),
    ).rejects.toMatchObject({ code: 'engine_unreachable' });
    const left = (await readdir(join(folder, 'sub'))).filter(
      (name) => !/^a\.db(-wal|-shm)?$/.test(name),
    );
    expect(left).toEqual([]);
  });

  it('serves the Temporal UI when asked to', async () => {
    const folder = await temporaryFolder();
    const ui = await freePort('127.0.0.1');
    const { uiAddress } = await startServer({ databaseFile: join(folder, 'a.db'), ui });
    expect(uiAddress).toBe(`http://127.0.0.1:${ui}`);
    expect((await fetch(`${uiAddress}/api/v1/settings`)).status).toBe(200);
  });

  it('stops when its signal aborts', async () => {
    const folder = await temporaryFolder();
    const stopping = new AbortController();
    const server = await startServer({
      databaseFile: join(folder, 'a.db'),
      signal: stopping.signal,
    });
    stopping.abort();
    expect(await server.exited).toMatchObject({ code: 0 });
  });

  it('ends a start that is aborted, with the reason of the abort', async () => {
    const folder = await temporaryFolder();
    const stopping = new AbortController();
    const starting = startServer({ databaseFile: join(folder, 'a.db'), signal: stopping.signal });
    await vi.waitUntil(async () => (await readdir(folder)).includes('a.db.pid'));
    const pid = Number(await readFile(join(folder, 'a.db.pid'), 'utf8'));
    stopping.abort(new Error('no longer wanted'));
    await expect(starting).rejects.toThrow('no longer wanted');
    expect(await isRunning(pid)).toBe(false);
  });
});

describe('a starter that ends without stopping the server', () => {
  it.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'exit'] as const)('takes it along: %s', async (end) => {
    const folder = await temporaryFolder();
    const { starter, pid } = await startElsewhere(join(folder, 'a.db'));
    expect(await isRunning(pid)).toBe(true);
    if (end === 'exit') starter.stdin?.end();
    else starter.kill(end);
    await vi.waitUntil(async () => !(await isRunning(pid)), { timeout: 5_000 });
  });

  it('does not keep the next one from starting on the database', async () => {
    const databaseFile = join(await temporaryFolder(), 'a.db');
    const { starter, pid } = await startElsewhere(databaseFile);
    starter.kill('SIGKILL');
    const server = await startServer({ databaseFile });
    expect(server.pid).not.toBe(pid);
  });
});

describe('a start that cannot work', () => {
  it('names the port that is in use', async () => {
    const folder = await temporaryFolder();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const databaseFile = join(folder, 'a.db');
    const error = await refusal(startServer({ databaseFile, port }));
    expect(error.code).toBe('engine_failed');
    expect(error.message).toBe(`port ${port} on 127.0.0.1 is in use`);
    expect(error.hint).toContain('another port');
    expect((await refusal(startServer({ databaseFile, ui: port }))).message).toBe(error.message);
  });

  it('names a file that is not a database, and leaves it as it is', async () => {
    const databaseFile = join(await temporaryFolder(), 'a.db');
    await writeFile(databaseFile, 'Dear diary, today I became a database.');
    const error = await refusal(startServer({ databaseFile }));
    expect(error.message).toBe(`${databaseFile} is not a SQLite database`);
    expect(await readFile(databaseFile, 'utf8')).toContain('Dear diary');
  });

  it('shows what the server says about a database that is damaged inside', async () => {
    const databaseFile = join(await temporaryFolder(), 'a.db');
    await writeFile(databaseFile, `SQLite format 3\0${'x'.repeat(8192)}`);
    const error = await refusal(startServer({ databaseFile }));
    expect(error.code).toBe('engine_failed');
    expect(error.message).toMatch(/exit code 1\); it printed:\n {2}.*(database|SQL)/s);
  });

  it('names a database place that cannot be written', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'file'), '');
    const error = await refusal(startServer({ databaseFile: join(folder, 'file', 'a.db') }));
    expect(error.message).toContain('cannot be written');
    await mkdir(join(folder, 'a.db'));
    const directory = await refusal(startServer({ databaseFile: join(folder, 'a.db') }));
    expect(directory.message).toContain('cannot be written');
  });

  it('refuses a database that another server serves', async () => {
    const databaseFile = join(await temporaryFolder(), 'a.db');
    const { pid } = await startServer({ databaseFile });
    const error = await refusal(startServer({ databaseFile }));
    expect(error.message).toContain(`process ${pid} is serving`);
    expect(error.hint).toContain(`kill ${pid}`);
  });

  it('moves a database aside whose making was cut short', async () => {
    const folder = await temporaryFolder();
    const databaseFile = join(folder, 'a.db');
    await writeFile(databaseFile, `SQLite format 3\0${'x'.repeat(4096)}`);
    await writeFile(`${databaseFile}.new`, '');
    await startServer({ databaseFile });
    expect(await readFile(`${databaseFile}.unfinished`, 'utf8')).toContain('xxx');
    expect(await readdir(folder)).not.toContain('a.db.new');
  });

  it('begins anew on an empty file', async () => {
    const databaseFile = join(await temporaryFolder(), 'a.db');
    await writeFile(databaseFile, '');
    expect((await startServer({ databaseFile })).pid).toBeGreaterThan(0);
  });

  it('shows the last lines of a program that ends at once', async () => {
    const folder = await temporaryFolder();
    const fake = join(folder, 'temporal');
    await writeFile(fake, '#!/bin/sh\nseq 100; echo "no room" >&2; exit 9\n');
    await chmod(fake, 0o755);
    const logFile = join(folder, 'server.log');
    const databaseFile = join(folder, 'a.db');
    const error = await refusal(startDevServer({ cli: { path: fake }, databaseFile, logFile }));
    expect(error.message).toContain('exit code 9');
    expect(error.message).toContain('no room');
    expect(error.message).toContain('\n  100');
    expect(error.message).not.toContain('\n  50\n');
    await vi.waitUntil(async () => (await readFile(logFile, 'utf8')).includes('no room'));
  });

  it('says that the program cannot be run', async () => {
    const folder = await temporaryFolder();
    const databaseFile = join(folder, 'a.db');
    const error = await refusal(
      startDevServer({ cli: { path: join(folder, 'none') }, databaseFile }),
    );
    expect(error.message).toContain('ENOENT');
  });
});

/** Starts a server from another process, which ends when its stdin does. */
async function startElsewhere(
  databaseFile: string,
): Promise<{ starter: ChildProcess; pid: number }> {
  const program = `
    const { startDevServer } = await import(process.argv[1]);
    const [cli, databaseFile] = process.argv.slice(2);
    const server = await startDevServer({ cli: { path: cli }, databaseFile });
    console.log(server.pid);
    process.stdin.resume().once('end', () => process.exit(0));
  `;
  const cli = (await findTemporalCli({ env: process.env })).path;
  const module = new URL('../../src/engine/dev-server.ts', import.meta.url).href;
  const args = ['--input-type=module', '--eval', program, module, cli, databaseFile];
  const starter = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void starter.kill('SIGKILL'));
  const [line] = await once(createInterface(starter.stdout), 'line');
  return { starter, pid: Number(line) };
}
