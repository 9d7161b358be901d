/** Seed of all random choices in a test file. `PODSYNC_TEST_SEED=N` repeats a run. */
export const seed = Number(process.env.PODSYNC_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

console.info(`PODSYNC_TEST_SEED=${seed} repeats this run`);
