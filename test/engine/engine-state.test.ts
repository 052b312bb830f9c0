import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  liveEngineState,
  readEngineState,
  removeEngineState,
  writeEngineState,
} from '../../src/engine/engine-state.ts';
import { freePort } from '../../src/engine/ports.ts';
import { deadEngine as state, temporaryProject } from './temporary-project.ts';

describe('the state file', () => {
  it('is read as it was written, and leaves no draft', async () => {
    const directory = await temporaryProject();
    const full = { ...state, uiAddress: 'http://127.0.0.1:8233', apiUrl: 'http://127.0.0.1:7070' };
    await Promise.all([writeEngineState(directory, state), writeEngineState(directory, state)]);
    await writeEngineState(directory, full);
    expect(await readEngineState(directory)).toEqual(full);
    expect((await readdir(directory.path)).sort()).toEqual(['.gitignore', 'blobs', 'state.json']);
  });

  it.each([
    ['missing', undefined],
    ['cut short', '{"version": 1, "addr'],
    ['of another version', JSON.stringify({ ...state, version: 99 })],
    ['with a process id that would signal a group', JSON.stringify({ ...state, pid: -1 })],
  ])('counts as none when it is %s', async (_, text) => {
    const directory = await temporaryProject();
    if (text !== undefined) await writeFile(directory.stateFile, text);
    expect(await readEngineState(directory)).toBeUndefined();
  });

  it('is removed by the engine that it describes only', async () => {
    const directory = await temporaryProject();
    await writeEngineState(directory, state);
    await removeEngineState(directory, state.pid + 1);
    expect(await readEngineState(directory)).toEqual(state);
    await removeEngineState(directory, state.pid);
    expect(await readEngineState(directory)).toBeUndefined();
  });

  it('is stale when its process is gone', async () => {
    const directory = await temporaryProject();
    await writeEngineState(directory, state);
    expect(await liveEngineState(directory)).toBeUndefined();
  });

  it('is stale when its process id now belongs to a program that serves no Temporal', async () => {
    const directory = await temporaryProject();
    const other = createServer((socket) => {
      // The other side hangs up on what it does not understand.
      socket.on('error', () => undefined).end('hello\n');
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await writeEngineState(directory, {
      ...state,
      address: `127.0.0.1:${port}`,
      pid: process.pid,
    });
    expect(await liveEngineState(directory, 300)).toBeUndefined();
  });
});

it('the state file is stale when nothing listens at its address', async () => {
  const directory = await temporaryProject();
  const address = `127.0.0.1:${await freePort('127.0.0.1')}`;
  await writeEngineState(directory, { ...state, address, pid: process.pid });
  expect(await liveEngineState(directory)).toBeUndefined();
});
