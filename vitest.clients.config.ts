import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/clients/**/*.test.ts'], globalSetup: 'test/global-setup.ts' },
});
