import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Two at once, on two cores too: much of the time goes to waiting for the other side.
  test: { include: ['test/clients/**/*.test.ts'], globalSetup: 'test/global-setup.ts', maxWorkers: 2 },
});
