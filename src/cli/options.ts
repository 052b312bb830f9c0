/** Options that several commands share, and how their texts become values. */
import { InvalidArgumentError } from 'commander';
import type { Config } from '../config.ts';
import { EverloopError } from '../everloop-error.ts';

/** A positive whole number. */
export function toCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It must be a whole number from 1 on.');
}

/** Number of an iteration; 0 is the start, before the first. */
export function toIteration(text: string): number {
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 0 on.');
}

/** A sum of money above 0, such as `2.50`. */
export function toAmount(text: string): number {
  const amount = Number(text);
  if (/^\d*\.?\d+$/.test(text) && amount > 0 && Number.isFinite(amount)) return amount;
  throw new InvalidArgumentError('It must be a number above 0, such as 2.50.');
}

/** A message of a run: its number, or its id. */
export function toMessage(text: string): number | string {
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  if (text !== '') return text;
  throw new InvalidArgumentError('It must be the number of a message from 0 on, or its id.');
}

/** Adds one `key=value` to those before it. */
export function addPair(
  text: string,
  earlier: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('It must look like key=value.');
  return { ...earlier, [text.slice(0, equals)]: text.slice(equals + 1) };
}

/** Adds one value to those before it. */
export function addValue(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text];
}

/** What `run` and `start` may say of a run. */
export interface RunOptions {
  readonly id?: string;
  readonly maxIterations?: number;
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
  readonly title?: string;
  readonly meta?: Readonly<Record<string, string>>;
}

/** The same, as the client takes it. */
export function toStartOptions(options: RunOptions) {
  const { id, maxIterations, budgetUsd, budgetTokens, title, meta } = options;
  const budget = {
    ...(budgetUsd !== undefined && { usd: budgetUsd }),
    ...(budgetTokens !== undefined && { tokens: budgetTokens }),
  };
  return {
    ...(id !== undefined && { id }),
    ...(maxIterations !== undefined && { maxIterations }),
    ...(Object.keys(budget).length > 0 && { budget }),
    ...(title !== undefined && { title }),
    ...(meta !== undefined && { metadata: meta }),
  };
}

/**
 * Makes sure that the project has the agent.
 * @throws EverloopError `unknown_agent`
 */
export function checkAgent(config: Config, agent: string): void {
  if (config.agents.has(agent)) return;
  const names = [...config.agents.keys()].join(', ');
  throw new EverloopError('unknown_agent', `there is no agent ${JSON.stringify(agent)}`, {
    hint: names === '' ? 'define one in everloop.config.ts' : `use one of: ${names}`,
  });
}
