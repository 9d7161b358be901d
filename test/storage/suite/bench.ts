import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Seconds } from '../../../src/domain/types.ts';
import type { StorageContext, Storage } from '../../../src/storage/stores.ts';
import { SECRET } from './samples.ts';

/** What is tested: one backend, empty at first. A plugin's author writes this, and nothing else. */
export interface Subject {
  /**
   * Opens the backend; called again after `close()`, and then everything must still be there. All that is given must
   * be used: a plugin whose backend has a clock of its own takes `context.now` here instead.
   */
  open(context: StorageContext): Promise<Storage>;
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

/** How a file of this suite states its tests: every body gets a bench of its own. */
interface Tests {
  describe(name: string, body: () => void): void;
  test(name: string, body: (bench: Bench) => Promise<void>): void;
}
export type Suite = (tests: Tests) => void;

/** When every test begins. */
export const START: Seconds = 1_800_000_000;
/** `StorageContext.overlap` in every test. */
export const OVERLAP: Seconds = 120;

/** Stands still until a test moves it. */
class TestClock {
  at: Seconds = START;

  readonly now = (): Seconds => this.at;
}

/** A fresh backend, opened, and the clock it goes by. */
export interface Bench {
  readonly storage: Storage;
  readonly clock: TestClock;
  /** Closes all that is open and opens the same backend once more. */
  reopen(): Promise<Storage>;
  /** What is open now, then the same backend opened once more: whatever holds must hold for both. */
  nowAndReopened(): AsyncIterable<Storage>;
  /** Opens the same backend beside what is open. */
  openBeside(): Promise<Storage>;
}

/** A bench and its end. */
export interface OwnedBench extends Bench {
  close(): Promise<void>;
}

export async function openBench(createSubject: () => Promise<Subject>): Promise<OwnedBench> {
  const dataDir = await mkdtemp(join(tmpdir(), 'podsync-conformance-'));
  const subject = await createSubject();
  const clock = new TestClock();
  const logged: string[] = [];
  const log: StorageContext['log'] = (_level, message) => logged.push(message);
  const context: StorageContext = { dataDir, now: clock.now, overlap: OVERLAP, log };
  const open: Storage[] = [];

  const openBeside = async (): Promise<Storage> => {
    const storage = await subject.open(context);
    open.push(storage);
    return storage;
  };
  const closeAll = async (): Promise<void> => {
    for (const storage of open.splice(0)) await storage.close();
  };

  const reopen = async (): Promise<Storage> => {
    await closeAll();
    return openBeside();
  };

  return {
    storage: await openBeside(),
    clock,
    openBeside,
    reopen,
    async *nowAndReopened() {
      yield open.at(-1)!;
      yield reopen();
    },
    async close() {
      await closeAll();
      await subject.destroy();
      await rm(dataDir, { recursive: true, force: true });
      const leak = logged.find((message) => message.includes(SECRET));
      assert.equal(leak, undefined, 'a password hash or a session digest was logged');
    },
  };
}
