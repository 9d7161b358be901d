/** Seed of all random choices in a test file. `PODSYNC_TEST_SEED=N` repeats a run. */
export const seed = Number(process.env.PODSYNC_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

console.info(`PODSYNC_TEST_SEED=${seed} repeats this run`);

/** Random numbers from 0 to below a limit, the same for the same seed. */
export function createRandom(from: number): (limit: number) => number {
  let state = 1 + (from % 2_147_483_646);
  return (limit) => (state = (state * 48_271) % 2_147_483_647) % limit;
}
