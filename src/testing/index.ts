/**
 * The entry point for authors of storage plugins: the rules of the contract (`podsync/plugin`) as tests, for any test
 * runner. They make no backend fail. There are no options.
 */
import { commitTests } from './commits.ts';
import { concurrencyTests } from './concurrency.ts';
import { durabilityTests } from './durability.ts';
import { openFixture, type OwnedFixture, type Subject, type Suite } from './fixture.ts';
import { readingTests } from './reading.ts';
import { valueTests } from './values.ts';

export type { Subject } from './fixture.ts';

/** The four functions that vitest, node:test, mocha and other runners have in common. */
export interface Runner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
  beforeEach(hook: () => Promise<void>): unknown;
  afterEach(hook: () => Promise<void>): unknown;
}

const SUITES: Readonly<Record<string, Suite>> = {
  'reading and order': readingTests,
  'commits and checks': commitTests,
  'limits of keys and values': valueTests,
  concurrency: concurrencyTests,
  'durability and closing': durabilityTests,
};

/**
 * Defines the tests of the contract for a plugin. `createSubject` is called before each test. Some tests take several
 * seconds: set a timeout of 30.
 */
export function storageConformance(name: string, createSubject: () => Promise<Subject>, runner: Runner): void {
  runner.describe(`storage plugin ${name}`, () => {
    let fixture: OwnedFixture | undefined;
    runner.beforeEach(async () => {
      fixture = await openFixture(createSubject);
    });
    runner.afterEach(async () => {
      const used = fixture;
      fixture = undefined;
      await used?.destroy();
    });
    for (const [topic, suite] of Object.entries(SUITES)) {
      runner.describe(topic, () =>
        suite({
          test: (title, body) => void runner.it(title, () => body(fixture!)),
          testShared: (title, body) =>
            void runner.it(title, async () => {
              const { store, openAnother, close } = fixture!;
              if (store.isShared) await body(store, await openAnother(), close);
            }),
        }),
      );
    }
  });
}
