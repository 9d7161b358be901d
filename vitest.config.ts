import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig, type Plugin, type TestProjectConfiguration } from 'vitest/config';
import { Sequencer } from './test/sequencer.ts';

/** A thread cannot be started from TypeScript: it is started from what the global setup has built. */
export const builtThreads: Plugin = {
  name: 'built-threads',
  transform(code, id) {
    if (!id.endsWith('.ts') || !/createThread\b.*\(import\.meta\.url/.test(code)) return undefined;
    const built = `dist/${relative(import.meta.dirname, id).replace(/ts$/, 'js')}`;
    return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(built)));
  },
};

/** What stands on a storage, and is run on each. */
const ON_STORAGE = [
  'test/{metrics,model,routes,services,site}/**/*.test.ts',
  'test/property/{round-trip,routes}.test.ts',
];

/** Parts of the services that use no storage, and take seconds. */
const WITHOUT_STORAGE = ['test/services/{body-parser,hasher}.test.ts'];

/** What takes minutes, on JSON: commands as processes, random requests to every route, all drivers, crashes, models. */
const LONG = [
  'test/{cli,docs,model,process,property,plugins}/**/*.test.ts',
  'test/storage/{drivers,nodes-model,several-nodes,commits,limits,load}.test.ts',
  'test/clock.test.ts', // not slow, but it replaces a module
  'examples/{embed,lossless}.test.ts', // `test/cli/podsync.ts` ends programs in a hook, which only isolated files all run
];

/** Tests on one storage: see `test/storages.ts`. */
const onStorage = (name: string, include: string[], exclude: string[] = []): TestProjectConfiguration => ({
  plugins: [builtThreads],
  test: {
    name,
    include,
    exclude: ['test/{clients,browser}/**', ...exclude],
    env: { PODSYNC_TEST_STORAGE: name === 'long' ? 'json' : name },
    testTimeout: 60_000, // a busy machine is no failure
    hookTimeout: 60_000,
    expect: { poll: { timeout: 40_000 } },
    // Most files take less time than loading the modules again. Tests that replace modules are in `long`.
    isolate: name === 'long',
  },
});

/** In a real browser. */
export const inBrowser = (name: string, include: string): TestProjectConfiguration => ({
  plugins: [builtThreads],
  test: {
    name,
    include: [include],
    env: { PODSYNC_TEST_STORAGE: 'json' },
    testTimeout: 300_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});

/** Programs that come with Debian, against podsync as it was built. */
const CLIENTS: TestProjectConfiguration = {
  test: {
    name: 'clients',
    include: ['test/clients/**/*.test.ts', 'examples/redis-storage/*.test.js'],
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
};

export default defineConfig({
  test: {
    globalSetup: 'test/global-setup.ts',
    sequence: { sequencer: Sequencer },
    // One on two cores would be the usual, and take half as long again.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      onStorage(
        'json',
        ['test/**/*.test.ts', 'examples/**/*.test.{js,ts}'],
        ['test/nodes/**', 'examples/redis-storage/**', ...LONG],
      ),
      onStorage('long', LONG),
      onStorage('sqlite', ON_STORAGE, WITHOUT_STORAGE),
      onStorage('postgres', [...ON_STORAGE, 'test/nodes/**/*.test.ts'], WITHOUT_STORAGE),
      inBrowser('browser', 'test/browser/**/*.test.ts'),
      CLIENTS,
    ],
  },
});
