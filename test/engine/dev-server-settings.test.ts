import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { devServerArguments } from '../../src/engine/dev-server-settings.ts';
import { findTemporalCli } from '../../src/engine/find-temporal-cli.ts';

describe('the command line', () => {
  it('holds each setting', () => {
    const args = devServerArguments({ databaseFile: '/d', port: 1, ui: false, namespace: 'n' });
    expect(args).toMatchInlineSnapshot(`
      [
        "server",
        "start-dev",
        "--ip",
        "127.0.0.1",
        "--port",
        "1",
        "--headless",
        "--namespace",
        "n",
        "--db-filename",
        "/d",
        "--log-level",
        "warn",
        "--sqlite-pragma",
        "journal_mode=wal",
        "--sqlite-pragma",
        "synchronous=normal",
        "--dynamic-config-value",
        "history.transferProcessorMaxPollRPS=5000",
        "--dynamic-config-value",
        "history.timerProcessorMaxPollRPS=5000",
        "--dynamic-config-value",
        "history.MaxBufferedQueryCount=100",
        "--dynamic-config-value",
        "history.timerProcessorMaxTimeShift="1ms"",
        "--dynamic-config-value",
        "frontend.WorkerCommandsEnabled=true",
        "--dynamic-config-value",
        "system.enableCancelActivityWorkerCommand=true",
        "--search-attribute",
        "EverloopAgent=Keyword",
        "--search-attribute",
        "EverloopStatus=Keyword",
        "--search-attribute",
        "EverloopRoot=Keyword",
        "--search-attribute",
        "EverloopForkedFrom=Keyword",
        "--search-attribute",
        "EverloopParent=Keyword",
      ]
    `);
  });

  it('names only dynamic settings that the server in the CLI knows, for it ignores others', async () => {
    const args = devServerArguments({ databaseFile: '/d', port: 1, ui: false, namespace: 'n' });
    const keys = args.flatMap((arg, index) =>
      args[index - 1] === '--dynamic-config-value' ? [arg.slice(0, arg.indexOf('='))] : [],
    );
    const cli = await readFile((await findTemporalCli({ env: process.env })).path);
    const known = (key: string) => cli.includes(key) || cli.includes(key.toLowerCase());
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key) => !known(key))).toEqual([]);
  });
});
