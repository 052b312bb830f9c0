/** `everloop extend-budget`: gives a run more to spend. */
import type { Command } from 'commander';
import { EverloopError } from '../everloop-error.ts';
import type { BudgetLimits } from '../loop/budget-limits.ts';
import { amountText } from '../loop/budget-text.ts';
import { limitNames } from '../loop/budget-use.ts';
import { tellRun } from './open-run.ts';
import { toAmount, toCount } from './options.ts';
import type { Cli } from './program.ts';
import { writeJson, writeLine } from './terminal.ts';
import { toDuration } from './to-duration.ts';

interface ExtendBudgetOptions extends Omit<BudgetLimits, 'wallTimeMs'> {
  readonly wallTime?: string;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addExtendBudget(root: Command, cli: Cli): void {
  root
    .command('extend-budget')
    .summary('give a run more to spend')
    .description(
      'Adds to the limits that a run has; one that waits at its budget goes on. A run that has stopped at its budget is retried instead.',
    )
    .argument('<run>', 'id of the run')
    .option('--usd <amount>', 'so many US dollars more', toAmount)
    .option('--tokens <n>', 'so many tokens more', toCount)
    .option('--tool-calls <n>', 'so many tool calls more', toCount)
    .option('--iterations <n>', 'so many iterations more', toCount)
    .option('--wall-time <duration>', 'so much time more, such as "2 hours"')
    .option('--children <n>', 'so many sub-agents more', toCount)
    .option('--json', 'one object instead of text')
    .action((id: string, options: ExtendBudgetOptions) => extendBudget(cli, id, options));
}

async function extendBudget(
  cli: Cli,
  id: string,
  { wallTime, json = false, ...counts }: ExtendBudgetOptions,
): Promise<void> {
  const { terminal } = cli;
  const more: BudgetLimits = {
    ...counts,
    ...(wallTime !== undefined && { wallTimeMs: await toDuration(wallTime, '--wall-time') }),
  };
  if (Object.keys(more).length === 0) {
    throw new EverloopError('invalid_input', 'nothing is given to the budget', {
      hint: 'say how much more, such as --usd 2.50 or --tokens 100000',
    });
  }
  await tellRun(await cli.config(), id, 'extend', ({ run }) => run.extendBudget(more));
  if (json) writeJson(terminal, { id, added: more });
  else writeLine(terminal, `run ${id} may use ${amounts(more)} more`);
}

function amounts(more: BudgetLimits): string {
  const texts = limitNames.flatMap((name) => {
    const amount = more[name];
    return amount === undefined ? [] : [amountText(name, amount)];
  });
  return texts.join(', ');
}
