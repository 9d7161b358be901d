/**
 * The entry point for authors of storage plugins: every rule of the contract (`podsync/plugin`) as a test, for any test
 * runner, without options and without exceptions.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeyValueStore, OpenContext } from '../plugin.ts';

/** One backend, empty at first. */
export interface Subject {
  /** Opens the backend; called again after `close()`, and then everything must still exist. */
  open(context: OpenContext): Promise<KeyValueStore>;
  /** Removes what the backend leaves outside `context.dataDir`, which the suite removes itself. */
  destroy(): Promise<void>;
}

/** The four functions that vitest, node:test, mocha and others have in common. */
export interface Runner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
  beforeEach(hook: () => Promise<void>): unknown;
  afterEach(hook: () => Promise<void>): unknown;
}

/** Defines the tests of the contract for one plugin. `createSubject` is called before each test. */
export function storageConformance(name: string, createSubject: () => Promise<Subject>, runner: Runner): void {
  runner.describe(`storage plugin ${name}`, () => {
    runner.it('a value is read as it was committed, also after reopening', async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'podsync-conformance-'));
      const subject = await createSubject();
      const context = { dataDir, log: () => undefined };
      let store = await subject.open(context);
      await store.commit({ set: [['a', '"b"']] });
      await store.close();
      store = await subject.open(context);
      assert.equal((await store.get(['a']))[0]?.value, '"b"');
      await store.close();
      await subject.destroy();
      await rm(dataDir, { recursive: true });
    });
  });
}
