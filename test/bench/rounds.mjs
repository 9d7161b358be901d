/** The median of the values. */
export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * Measures two sides in turn, in several rounds. Ratios within a round are reliable, as temporary load on the machine
 * slows down both sides.
 *
 * @template T
 * @param {number} count Rounds.
 * @param {[(round: number) => Promise<T>, (round: number) => Promise<T>]} sides
 * @returns {Promise<[T, T][]>}
 */
export async function alternate(count, [left, right]) {
  const rounds = [];
  for (let round = 0; round < count; round++) rounds.push([await left(round), await right(round)]);
  return rounds;
}

/** Measures three times. */
export const thrice = async (measure) => [await measure(), await measure(), await measure()];
