/** The demo, as it is run: Workers die, nothing complete is run again, the report is true, nothing is left behind. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { countCalls } from '../../src/cli/demo-counts.ts';
import { composeReport, readListing } from '../../src/cli/demo-report.ts';
import { startOpenAiChatServer } from '../../src/testing/openai-chat/openai-chat-server.ts';
import type { Project } from './cli.ts';
import { makeProject } from './cli.ts';

const files = {
  'README.md': '# Orchard\n\nTODO: plant\n',
  'package.json': '{\n  "name": "orchard",\n  "description": "Trees."\n}\n',
  'tree.ts': '// TODO grow\n// TODO bear fruit\n',
};

/** What a demo with kills and a scripted model comes to. */
const whole = {
  kills: 2,
  approvals: 1,
  fork: 'completed',
  modelCalls: 6,
  toolCalls: 6,
  repeated: 0,
  replay: 'ok',
};

interface Outcome {
  readonly report: string;
}

async function demo(project: Project, ...args: string[]): Promise<Outcome> {
  const { code, stdout, stderr } = await project.run('demo', '--json', ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr });
  const outcome: Outcome = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  return outcome;
}

/** A project whose demo has a folder for temporary files to itself. */
async function makeStage(more: Readonly<Record<string, string>> = {}): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'everloop-stage-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return await makeProject({ ...files, ...more }, { TMPDIR: folder });
}

/** The temporary folders of the project's demos, reports aside. */
async function stagesOf({ env }: Project): Promise<string[]> {
  const names = await readdir(env['TMPDIR'] ?? '');
  return names.filter((name) => /^everloop-demo-(?!report)/.test(name));
}

/** Command lines of the demo's own processes: its folder is in the server's, its program in the Workers'. */
async function processesOf(stage: string | undefined): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args']);
  return stdout.split('\n').filter((line) => stage !== undefined && line.includes(stage));
}

describe('the demo', { timeout: 180_000 }, () => {
  it('kills the Worker twice, asks for an approval, repeats nothing, is forked, replays, and reports what the files hold', async () => {
    const project = await makeStage();
    const { report, ...counts } = await demo(project);
    expect(counts).toEqual(whole);
    expect(report).toBe(join(project.folder, 'everloop-demo-report.md'));
    const text = await readFile(report, 'utf8');
    expect(text).toContain('**README.md**, 3 lines: Orchard');
    expect(text).toContain('**package.json**, 4 lines: orchard: Trees.');
    expect(text).toContain('## 3 files');
    expect(text).toContain('3 lines with TODO in 2 files');
    expect(text).toContain('`tree.ts:2: // TODO bear fruit`');
    expect((await readdir(project.folder)).sort()).toEqual([
      'README.md',
      'everloop-demo-report.md',
      'package.json',
      'tree.ts',
    ]);
    expect(await stagesOf(project)).toEqual([]);
  });

  it('without kills runs once through, and says that a report that is there already is left alone', async () => {
    const project = await makeStage({ 'everloop-demo-report.md': 'mine' });
    const { stdout, stderr } = await project.run('demo', '--json', '--no-kill');
    expect(stderr).toContain('everloop-demo-report.md is here already and stays as it is');
    const { report, ...counts }: Outcome = JSON.parse(stdout);
    expect(counts).toEqual({ ...whole, kills: 0 });
    expect(stderr).toMatch(/The run waits: write_file needs an approval.* everloop approve demo-/);
    expect(stderr).toMatch(/It has inherited \d+ messages and made 1 model call\./);
    expect(dirname(report)).not.toBe(project.folder);
    expect(await readFile(report, 'utf8')).toContain('# What is in this folder');
    expect(await readFile(join(project.folder, 'everloop-demo-report.md'), 'utf8')).toBe('mine');
  });

  it('with a key asks the real API, whose calls it counts at its own door', async () => {
    const provider = await startOpenAiChatServer({
      script: [
        { text: 'I look at what there is.', calls: [{ name: 'list_files', input: {} }] },
        {
          calls: [
            { name: 'write_file', input: { path: 'README.md', content: 'mine now' } },
            { name: 'write_file', input: { path: 'everloop-demo-report.md', content: 'Trees.' } },
          ],
        },
        { text: 'Done.' },
        { text: 'Trees, in short.' },
      ],
      apiKey: 'secret',
      chunkDelayMs: 10,
    });
    onTestFinished(() => provider.close());
    const project = await makeStage();
    Object.assign(project.env, { OPENAI_API_KEY: 'secret', OPENAI_BASE_URL: provider.url });
    const { report, ...counts } = await demo(project);
    expect(counts).toEqual({ ...whole, approvals: 2, modelCalls: 4, toolCalls: 3 });
    expect(await readFile(report, 'utf8')).toBe('Trees.');
    // A model must not change anything but the report.
    expect(await readFile(join(project.folder, 'README.md'), 'utf8')).toBe(files['README.md']);
  });

  it.each(['openai:scripted', 'anthropic:scripted'])(
    'is the same with %s, over that provider’s API',
    async (model) => {
      const project = await makeStage();
      project.env['EVERLOOP_MODEL'] = model;
      const { report, ...counts } = await demo(project);
      expect(counts).toEqual(whole);
      expect(await readFile(report, 'utf8')).toContain('## 3 files');
    },
  );

  it('leaves no process and no folder behind on Ctrl-C', async () => {
    const project = await makeStage();
    const started = project.start('demo');
    await started.said('Worker 2 starts');
    const [stage] = await stagesOf(project);
    expect(await processesOf(stage)).not.toEqual([]);
    started.child.kill('SIGINT');
    expect((await started.ended).code).toBe(130);
    expect(await processesOf(stage)).toEqual([]);
    expect(await stagesOf(project)).toEqual([]);
  });
});

describe('the counts', () => {
  const at = 0;
  it('call a request repeated only if its like was answered to the end before', () => {
    const log = [
      { event: 'call-received', index: 0, at },
      { event: 'first-delta', index: 0, at },
      { event: 'closed-by-client', index: 0, at },
      { event: 'call-received', index: 1, at },
      { event: 'finished', index: 1, at },
    ] as const;
    const ledger = [] as const;
    expect(countCalls({ log, bodies: ['a', 'a'], ledger })).toMatchObject({
      modelCalls: 1,
      cutModelCalls: 1,
      repeated: 0,
    });
    const again = [...log, { event: 'call-received', index: 2, at } as const];
    expect(countCalls({ log: again, bodies: ['a', 'a', 'a'], ledger }).repeated).toBe(1);
    expect(countCalls({ log: again, bodies: ['a', 'a', 'b'], ledger }).repeated).toBe(0);
  });

  it('call a tool execution repeated only if its key had ended before', () => {
    const line = { tool: 'search', attempt: 1, pid: 1 };
    const cut = [
      { ...line, event: 'start', key: 'k' },
      { ...line, event: 'start', key: 'k', attempt: 2 },
      { ...line, event: 'end', key: 'k', attempt: 2 },
    ] as const;
    expect(countCalls({ log: [], bodies: [], ledger: cut })).toMatchObject({
      toolCalls: 1,
      cutToolCalls: 1,
      repeated: 0,
    });
    const again = [...cut, { ...line, event: 'start', key: 'k', attempt: 3 } as const];
    expect(countCalls({ log: [], bodies: [], ledger: again }).repeated).toBe(1);
  });
});

describe('the report', () => {
  it('counts the files that were listed and those that did not fit', () => {
    const listing = readListing('a.md\nsrc/[id].ts\n[7 more: name a deeper path]');
    expect(listing).toEqual({ files: ['a.md', 'src/[id].ts'], more: 7 });
    expect(composeReport({ listing, read: [], found: 'no matches' })).toContain('## 9 files');
  });

  it('of an empty folder says that there is nothing', () => {
    const listing = readListing('no files in .');
    expect(composeReport({ listing, read: [], found: 'no matches' })).toContain('## 0 files');
  });
});
