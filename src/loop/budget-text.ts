/** Limits and amounts in words, for people and for models. Digits are grouped by hand: the words must be the same in every process. */
import type { BudgetUse, LimitName } from './budget-use.ts';

const words: Readonly<Record<Exclude<LimitName, 'usd' | 'wallTimeMs'>, string>> = {
  iterations: 'iteration',
  tokens: 'token',
  toolCalls: 'tool call',
  children: 'child run',
};

/** An amount with its unit, such as `400,000 tokens`, `$3.00` or `2 d`; `usd` in dollars. */
export function amountText(limit: LimitName, amount: number): string {
  if (limit === 'usd') return usdText(amount);
  if (limit === 'wallTimeMs') return spanText(amount);
  return `${grouped(amount)} ${words[limit]}${amount === 1 ? '' : 's'}`;
}

/** What is spent of a limit, the unit said once: `3,300 of 4,000 tokens`, `$0.50 of $3.00`. */
export function useText({ limit, spent, allowed }: BudgetUse): string {
  const isCounted = limit !== 'usd' && limit !== 'wallTimeMs';
  return `${isCounted ? grouped(spent) : amountText(limit, spent)} of ${amountText(limit, allowed)}`;
}

/** Dollars with as many digits as a small sum needs: `$3.00`, `$0.0042`. */
export function usdText(usd: number): string {
  const digits = usd === 0 || usd >= 1 ? 2 : usd >= 0.0001 ? 4 : 6;
  const [whole = '0', fraction = ''] = usd.toFixed(digits).split('.');
  return `$${grouped(Number(whole))}.${fraction}`;
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** The two largest units: `2 d 3 h`. */
function spanText(milliseconds: number): string {
  const at = units.findIndex(([, length]) => milliseconds >= length);
  const [unit, length] = units[at] ?? ['ms', 1];
  const whole = Math.floor(milliseconds / length);
  const [smaller, smallerLength] = (at < 0 ? undefined : units[at + 1]) ?? ['', 0];
  const rest = smallerLength === 0 ? 0 : Math.floor((milliseconds % length) / smallerLength);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${smaller}`;
}

function grouped(count: number): string {
  return String(Math.round(count)).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
