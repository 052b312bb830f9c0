/** `everloop ls`: lists runs. */
import type { Command } from 'commander';
import type { RunFilter, RunSummary } from '../client/list-runs.ts';
import { EverloopError } from '../everloop-error.ts';
import { usdText } from '../loop/budget-text.ts';
import { runStatuses } from '../loop/run-status.ts';
import { formatCount, formatSpan, oneLine, shorten } from './format.ts';
import { toCount } from './options.ts';
import type { Cli } from './program.ts';
import { toTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { printable, styled, writeJson, writeLine, writeNote } from './terminal.ts';

interface LsOptions extends RunFilter {
  readonly limit: number;
  readonly json?: boolean;
}

/** About a screenful. */
const defaultLimit = 30;
/** Longest title in the table. */
const titleLength = 48;
/** Longest text of what a run waits for. */
const waitLength = 32;

/** Adds the command to the program. */
export function addLs(root: Command, cli: Cli): void {
  root
    .command('ls')
    .summary('list runs, newest first')
    .description(
      'Lists runs, newest first. Needs no Worker; what a run has used is as of its last report.',
    )
    .option('--agent <name>', 'only runs of this agent')
    .option(
      '--status <status>',
      'only runs with this status: running, waiting:approval, waiting:answer, waiting:budget, paused or a stop reason',
    )
    .option('--parent <run>', 'only sub-agents of this run')
    .option('--query <query>', 'Temporal visibility query, such as "StartTime > \'2026-01-01\'"')
    .option('--limit <n>', 'runs at most', toCount, defaultLimit)
    .option('--json', 'one object per line')
    .action((options: LsOptions) => ls(cli, options));
}

async function ls(cli: Cli, { limit, json, ...filter }: LsOptions): Promise<void> {
  const { terminal } = cli;
  const { status } = filter;
  if (status !== undefined && !runStatuses.some((known) => known === status)) {
    throw new EverloopError('invalid_input', `there is no status ${JSON.stringify(status)}`, {
      hint: `use one of: ${runStatuses.join(', ')}`,
    });
  }
  const config = await cli.config();
  const { anyEngine, hasRuns, withRuns } = await import('./engine.ts');
  const runs: RunSummary[] = [];
  let more = false;
  if (await hasRuns(config)) {
    const engine = await anyEngine(terminal, config, 'ls');
    await withRuns(config, engine, async ({ everloop }) => {
      for await (const run of everloop.list(filter)) {
        more = runs.length === limit;
        if (more) break;
        runs.push(run);
      }
    });
  }
  if (json === true) for (const run of runs) writeJson(terminal, run);
  else if (terminal.stdout.isTTY === true) writeTable(terminal, runs);
  else for (const run of runs) writeLine(terminal, row(run, Date.now()).join('\t'));
  if (json === true) return;
  if (runs.length === 0)
    writeNote(terminal, 'No runs. Start one with: everloop run <agent> <input>');
  if (more) writeNote(terminal, `There are more; see them with --limit.`);
}

const headings = [
  'ID',
  'STATUS',
  'WAITS FOR',
  'AGENT',
  'AGE',
  'ITERATIONS',
  'TOKENS',
  'COST',
  'TITLE',
  'AS OF',
];

function row(run: RunSummary, now: number): string[] {
  const { memo } = run;
  return [
    run.id,
    run.status,
    shorten(oneLine(memo?.waitingFor ?? ''), waitLength),
    run.agent,
    formatSpan(now - run.startedAt.getTime()),
    String(memo?.iterations ?? 0),
    formatCount((memo?.usage.inputTokens ?? 0) + (memo?.usage.outputTokens ?? 0)),
    memo?.costUsd === undefined ? '' : usdText(memo.costUsd),
    shorten(oneLine(run.title), titleLength),
    memo === undefined ? '' : new Date(memo.asOf).toISOString(),
  ].map(printable);
}

function writeTable(terminal: Terminal, runs: readonly RunSummary[]): void {
  if (runs.length === 0) return;
  const { stdout } = terminal;
  const now = Date.now();
  const rows = runs.map((run) => {
    const [id = '', status = '', ...cells] = row(run, now).slice(0, -1);
    return [id, styled(stdout, colourOf(status), status), ...cells];
  });
  writeLine(terminal, toTable(headings.slice(0, -1), rows));
  const oldest = Math.min(...runs.flatMap(({ memo }) => (memo === undefined ? [] : [memo.asOf])));
  if (!Number.isFinite(oldest)) return;
  const times = `${new Date(oldest).toLocaleTimeString()} or later`;
  writeNote(
    terminal,
    `Figures as of ${times}: a run reports when its phase changes, at most every 30 s.`,
  );
}

function colourOf(status: string): 'green' | 'cyan' | 'red' | 'yellow' {
  if (status === 'completed') return 'green';
  if (status === 'running') return 'cyan';
  return status === 'error' || status === 'terminated' ? 'red' : 'yellow';
}
