/** What a scenario is, and when its numbers hold. */
import type { Estimate } from './statistics.ts';

/** A number to hold. */
export type Bound = { readonly atMost: number } | { readonly atLeast: number };

/** One figure beside the number it must hold. */
export interface Check {
  readonly name: string;
  readonly measured: Estimate;
  readonly bound: Bound;
}

/** What a scenario found. */
export interface Outcome {
  readonly checks: readonly Check[];
  /** Figures behind the checks, each with its unit in its name. */
  readonly figures: Readonly<Record<string, number | Estimate>>;
}

export interface Scenario {
  readonly name: string;
  /** What is measured, for the list of scenarios. */
  readonly title: string;
  /** @param say prints one line of progress */
  run(say: (line: string) => void): Promise<Outcome>;
}

/** True when the favourable end of the interval meets the number: a noisy machine refutes nothing. */
export function checkHolds({ measured, bound }: Pick<Check, 'measured' | 'bound'>): boolean {
  return 'atMost' in bound ? measured.low <= bound.atMost : measured.high >= bound.atLeast;
}

/** True when every check holds. */
export function outcomeHolds({ checks }: Pick<Outcome, 'checks'>): boolean {
  return checks.every(checkHolds);
}
