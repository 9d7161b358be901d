import { defineConfig } from 'vitest/config';
import { builtThreads } from './vitest.config.ts';

export default defineConfig({
  plugins: [builtThreads],
  // In a real browser. `npm run test:browser` runs the tests, `npm run screenshots` writes the pictures of docs/.
  test: {
    include: ['test/browser/**/*.test.ts', 'test/browser/screenshots.ts'],
    globalSetup: 'test/global-setup.ts',
    env: { PODSYNC_TEST_STORAGE: 'json' },
    maxWorkers: 2,
    testTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
