/** Medians, and how sure they are. */

/** A median with its 95 % confidence interval. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly samples: number;
}

/** More resamples move the interval's ends by less than a figure is printed with. */
const resamples = 10_000;

/** Each tail that is left out of the interval: together 5 %. */
const tail = 0.025;

/**
 * The value in the middle; of an even number of values the mean of the two in the middle.
 * @throws RangeError without values
 */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/**
 * The value below which a share `at` (0 to 1) of the values lies, interpolated between neighbours.
 * @throws RangeError without values
 */
export function quantile(values: readonly number[], at: number): number {
  return quantileOfSorted(
    values.toSorted((a, b) => a - b),
    at,
  );
}

/**
 * The median of the values with its percentile bootstrap interval. The random seed is fixed, so that
 * the same values always give the same interval.
 * @throws RangeError without values
 */
export function estimateMedian(values: readonly number[]): Estimate {
  const random = randomFrom(1);
  const sorted = values.toSorted((a, b) => a - b);
  const medians = Array.from({ length: resamples }, () =>
    median(sorted.map(() => sorted[Math.floor(random() * sorted.length)] ?? Number.NaN)),
  ).sort((a, b) => a - b);
  return {
    median: quantileOfSorted(sorted, 0.5),
    low: quantileOfSorted(medians, tail),
    high: quantileOfSorted(medians, 1 - tail),
    samples: values.length,
  };
}

function quantileOfSorted(sorted: readonly number[], at: number): number {
  const place = (sorted.length - 1) * at;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new RangeError('there are no values');
  return below + (above - below) * (place - Math.floor(place));
}

/** Numbers from 0 up to 1: a linear congruential generator, of which only the high bits are used. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
