/** `everloop doctor`: looks for what would keep runs from their work, and says how to put it right. */
import type { Command } from 'commander';
import type { Finding } from './doctor/finding.ts';
import { exitCode } from './exit-codes.ts';
import { counted } from './format.ts';
import type { Cli } from './program.ts';
import { startProgress } from './progress.ts';
import type { Style, Terminal } from './terminal.ts';
import { printable, styled, writeJson, writeLine, writeNote } from './terminal.ts';

/** Adds the command to the program. */
export function addDoctor(root: Command, cli: Cli): void {
  root
    .command('doctor')
    .summary('look for what is wrong, and how to fix it')
    .description(
      'Looks at Node, the Temporal CLI, installed packages, configuration, keys, server, ports, blob store and clock. Changes nothing and fetches nothing; exit code 1 when there is a problem.',
    )
    .option('--json', 'one finding per line')
    .action((options: { json?: boolean }) => doctor(cli, options.json === true));
}

async function doctor(cli: Cli, json: boolean): Promise<void> {
  const { terminal } = cli;
  const { examine } = await import('./doctor/examine.ts');
  const findings: Finding[] = [];
  const progress = startProgress(terminal, 'looking');
  try {
    for await (const finding of examine(terminal, () => cli.config())) findings.push(finding);
  } finally {
    progress.stop();
  }
  for (const finding of findings) {
    if (json) writeJson(terminal, finding);
    else writeFinding(terminal, finding);
  }
  const problems = findings.filter(({ status }) => status === 'problem').length;
  const warnings = findings.filter(({ status }) => status === 'warning').length;
  if (problems > 0) cli.exitWith(exitCode.failed);
  if (!json) {
    writeNote(terminal, `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`);
  }
}

const styles: Readonly<Record<Finding['status'], Style>> = {
  ok: 'green',
  warning: 'yellow',
  problem: 'red',
};

/** As wide as the longest status. */
const statusWidth = 'warning'.length;

function writeFinding(terminal: Terminal, finding: Finding): void {
  const { check, status, what } = finding;
  const word = styled(terminal.stdout, styles[status], status.padEnd(statusWidth));
  writeLine(terminal, `${word}  ${check}: ${printable(what)}`);
  if (finding.status === 'ok') return;
  writeLine(terminal, `${' '.repeat(statusWidth)}  fix: ${printable(finding.fix)}`);
}
