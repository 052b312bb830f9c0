/** Shows what came of a check of a build: a table of the runs, why some do not replay, and the verdict. */
import type { CheckedRun } from '../replay/check-upgrade.ts';
import { isFailure } from '../replay/check-upgrade.ts';
import type { UpgradeReport } from './check-upgrade.ts';
import { counted, formatCount, shorten } from './format.ts';
import { valueText } from './replay-report.ts';
import { toTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { printable, styled, writeJson, writeLine, writeNote } from './terminal.ts';

/** Of a hash or a build in the table: enough to tell two apart. */
const hashLength = 12;
const buildLength = 24;

/** One line per run, then the verdict. @returns whether nothing speaks against the build */
export function writeUpgradeJson(
  terminal: Terminal,
  { runs, open, passedOver }: UpgradeReport,
): boolean {
  for (const { outcome, ...run } of runs) writeJson(terminal, { type: 'run', ...run, ...outcome });
  const ok = !runs.some(isFailure);
  const counts = { runs: runs.length, failed: runs.filter(isFailure).length };
  writeJson(terminal, {
    type: 'verdict',
    ok,
    ...counts,
    ...(open !== undefined && { open }),
    passedOver: passedOver.length,
  });
  return ok;
}

/** The same for people. @returns whether nothing speaks against the build */
export function writeUpgradeText(
  terminal: Terminal,
  { runs, open, passedOver }: UpgradeReport,
): boolean {
  const { stdout } = terminal;
  if (passedOver.length > 0) {
    writeNote(terminal, `${counted(passedOver.length, 'other JSON file')} passed over.`);
  }
  if (runs.length === 0) {
    writeLine(terminal, 'no open runs: there is nothing that could break');
    return true;
  }
  if (stdout.isTTY === true) writeLine(terminal, toTable(headings, runs.map(row)));
  else for (const run of runs) writeLine(terminal, row(run).join('\t'));
  const failures = runs.filter(isFailure);
  for (const failure of failures) writeFailure(terminal, failure);
  const of = open === undefined ? '' : ` of ${counted(open, 'open run')}`;
  const checked = open === undefined ? counted(runs.length, 'run') : formatCount(runs.length);
  const verdict =
    failures.length === 0
      ? styled(stdout, 'green', `${checked}${of} checked: all replay`)
      : styled(
          stdout,
          'red',
          `${checked}${of} checked: ${formatCount(failures.length)} would not go on with this code`,
        );
  writeLine(terminal, verdict);
  return failures.length === 0;
}

const headings = ['RUN', 'AGENT', 'HASH', 'BUILD', 'EVENTS', 'ITERATIONS', 'VERDICT'];

function row({ name, agent, agentHash, build, events, outcome }: CheckedRun): string[] {
  return [
    name,
    agent ?? '',
    agentHash?.slice(0, hashLength) ?? '',
    shorten(build ?? '', buildLength),
    events === undefined ? '' : formatCount(events),
    outcome.verdict === 'replays' ? formatCount(outcome.iterations) : '',
    outcome.verdict,
  ].map(printable);
}

function writeFailure(terminal: Terminal, { name, outcome }: CheckedRun): void {
  const { stdout } = terminal;
  if (outcome.verdict === 'unreadable') {
    writeLine(terminal, styled(stdout, 'red', printable(outcome.problem)));
    return;
  }
  if (outcome.verdict !== 'diverges') return;
  const { iteration, problem, difference } = outcome;
  const what = `${name} does not replay: iteration ${iteration}: ${problem}`;
  writeLine(terminal, styled(stdout, 'red', printable(what)));
  if (difference === undefined) return;
  writeLine(terminal, `  at:       ${printable(difference.path)}`);
  writeLine(terminal, `  expected: ${valueText(difference.expected)}`);
  writeLine(terminal, `  found:    ${valueText(difference.found)}`);
}
