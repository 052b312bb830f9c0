/** Takes turns between the sides of a comparison, so that whatever slows the machine slows all of them. */

/** One measurement of each side, taken one right after the other. */
export type Round<Side extends string, Result> = Readonly<Record<Side, Result>>;

export interface InterleaveOptions {
  /** Rounds that count. */
  readonly rounds: number;
  /** Rounds before those, thrown away: code is compiled and caches are filled in them. */
  readonly warmUp: number;
  /** Told after each round. */
  readonly onRound?: (done: number, all: number) => void;
}

/**
 * Measures every side once a round, in the order of `sides` and in every second round backwards, so
 * that no side always has the first place.
 */
export async function interleave<Side extends string, Result>(
  sides: Readonly<Record<Side, () => Promise<Result>>>,
  { rounds, warmUp, onRound }: InterleaveOptions,
): Promise<Round<Side, Result>[]> {
  const counted: Round<Side, Result>[] = [];
  const names = Object.keys(sides) as Side[];
  for (let round = 0; round < warmUp + rounds; round += 1) {
    const measured: Partial<Record<Side, Result>> = {};
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      measured[name] = await sides[name]();
    }
    if (round >= warmUp) counted.push(measured as Round<Side, Result>);
    onRound?.(round + 1, warmUp + rounds);
  }
  return counted;
}
