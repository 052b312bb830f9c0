/** `everloop retry`: lets a run that failed try again. */
import type { Command } from 'commander';
import { toAmount, toCount } from './options.ts';
import type { Cli } from './program.ts';
import type { TakeBackOptions } from './take-back.ts';

interface RetryOptions extends TakeBackOptions {
  readonly maxIterations?: number;
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
}

/** Adds the command to the program. */
export function addRetry(root: Command, cli: Cli): void {
  root
    .command('retry')
    .summary('let a run that failed try again')
    .description(
      'Takes a run that failed, was stopped or is stuck back to its newest point without a later failure, and lets it go on from there. One that stopped at a limit needs a higher one. Says first what is left behind.',
    )
    .argument('<run>', 'id of the run')
    .option('--edit <text>', 'the last message that is kept says this instead')
    .option('--input <text>', 'what the user says next')
    .option('--max-iterations <n>', 'model calls with their tools at most, in all', toCount)
    .option('--budget-usd <amount>', 'US dollars that model calls may cost at most', toAmount)
    .option('--budget-tokens <n>', 'tokens that model calls may take at most', toCount)
    .option('--tell-model', 'tell the model which tools have had an effect that is left behind')
    .option('--force', 'even while sub-agents are running: they end with what is left behind')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'one object instead of text')
    .action((id: string, options: RetryOptions) => retry(cli, id, options));
}

async function retry(cli: Cli, id: string, options: RetryOptions): Promise<void> {
  const { takeBack, toTerms } = await import('./take-back.ts');
  const { maxIterations, budgetUsd, budgetTokens } = options;
  const budget = {
    ...(budgetUsd !== undefined && { usd: budgetUsd }),
    ...(budgetTokens !== undefined && { tokens: budgetTokens }),
  };
  const given = {
    ...toTerms(options),
    ...(maxIterations !== undefined && { maxIterations }),
    ...(Object.keys(budget).length > 0 && { budget }),
  };
  await takeBack(cli, id, options, {
    plan: (run) => run.retryPlan(given),
    carryOut: (run) => run.retry(given),
  });
}
