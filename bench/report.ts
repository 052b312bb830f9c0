/** Shows what a scenario found: lines for people, one object for programs. */
import type { Bound, Check, Outcome } from './scenario.ts';
import { checkHolds, outcomeHolds } from './scenario.ts';
import type { Estimate } from './statistics.ts';

/** The object behind `--json`. */
export interface JsonReport {
  readonly scenario: string;
  readonly holds: boolean;
  readonly figures: Readonly<Record<string, unknown>>;
}

/** All figures and checks of an outcome as one object. */
export function toJsonReport(scenario: string, outcome: Outcome): JsonReport {
  const checks = outcome.checks.map(({ name, measured, bound }) => [
    name,
    { ...measured, ...bound, holds: checkHolds({ measured, bound }) },
  ]);
  return {
    scenario,
    holds: outcomeHolds(outcome),
    figures: { ...outcome.figures, ...Object.fromEntries(checks) },
  };
}

/** The figures first, then each check with its interval and its number. */
export function toLines(outcome: Outcome): string[] {
  return [
    ...Object.entries(outcome.figures).map(([name, figure]) => `  ${name}: ${shown(figure)}`),
    ...outcome.checks.map(checkLine),
  ];
}

function checkLine({ name, measured, bound }: Check): string {
  const verdict = checkHolds({ measured, bound }) ? 'holds' : 'DOES NOT HOLD';
  return `${verdict}  ${name}: ${shown(measured)}, to hold ${shownBound(bound)}`;
}

function shownBound(bound: Bound): string {
  return 'atMost' in bound ? `≤ ${bound.atMost}` : `≥ ${bound.atLeast}`;
}

function shown(figure: number | Estimate): string {
  if (typeof figure === 'number') return rounded(figure);
  const { median, low, high, samples } = figure;
  return samples === 1
    ? `${rounded(median)} (one sample)`
    : `${rounded(median)} [${rounded(low)}, ${rounded(high)}] of ${samples}`;
}

/** Three digits behind the point for ratios, none for bytes. */
function rounded(value: number): string {
  return value.toFixed(Math.abs(value) < 10 ? 3 : Math.abs(value) < 1_000 ? 1 : 0);
}
