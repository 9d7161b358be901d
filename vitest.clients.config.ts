import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Programs that come with Debian, against podsync as it was built. Two at once, on two cores too: much of the time goes
  // to waiting for the other side.
  test: {
    include: ['test/clients/**/*.test.ts', 'examples/redis-storage/*.test.js'],
    globalSetup: 'test/global-setup.ts',
    maxWorkers: 2,
    testTimeout: 30_000,
  },
});
