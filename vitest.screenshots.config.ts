import { defineConfig } from 'vitest/config';
import { inBrowser } from './vitest.config.ts';

// Writes the pictures of docs/. Not a project of `vitest.config.ts`, as a run of all tests changes no file.
export default defineConfig({
  test: {
    globalSetup: 'test/global-setup.ts',
    projects: [inBrowser('screenshots', 'test/browser/screenshots.ts')],
  },
});
