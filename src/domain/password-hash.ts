/** Each step doubles the time to compute a hash: 14 takes about a second, 31 takes days. */
const LOWEST_COST = 4;
const HIGHEST_COST = 14;

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/**
 * The cost of a bcrypt hash: the binary logarithm of its rounds. Undefined for anything else, and for a cost below 4 or
 * above 14: passwords are not compared with such hashes.
 */
export function bcryptCost(hash: string): number | undefined {
  const cost = Number(BCRYPT.exec(hash)?.[1]);
  return cost >= LOWEST_COST && cost <= HIGHEST_COST ? cost : undefined;
}
