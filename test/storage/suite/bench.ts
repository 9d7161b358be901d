import assert from 'node:assert/strict';
import type { Seconds } from '../../../src/domain/types.ts';
import type { StorageContext, Storage } from '../../../src/storage/stores.ts';
import { makeFolder } from '../../folder.ts';
import { SECRET } from './samples.ts';

/** The tested backend, empty at first. */
export interface Subject {
  /** Opens the backend. Called again after `close()`, and then all data must still exist. */
  open(context: StorageContext): Promise<Storage>;
  /** Removes data of the backend outside `context.dataDir`, which the suite removes itself. */
  destroy(): Promise<void>;
}

/** How a file of this suite defines its tests: each body gets its own bench. */
interface Tests {
  describe(name: string, body: () => void): void;
  test(name: string, body: (bench: Bench) => Promise<void>): void;
}
export type Suite = (tests: Tests) => void;

/** Time at the start of each test. */
export const START: Seconds = 1_800_000_000;
/** `StorageContext.overlap` in every test. */
export const OVERLAP: Seconds = 120;

/** A clock that only changes when a test sets it. */
class TestClock {
  at: Seconds = START;

  readonly now = (): Seconds => this.at;
}

/** A new, open backend, and its clock. */
export interface Bench {
  readonly storage: Storage;
  readonly clock: TestClock;
  /** Closes all stores and opens the backend again. */
  reopen(): Promise<Storage>;
  /** The current storage, then the same after reopening: assertions must hold for both. */
  nowAndReopened(): AsyncIterable<Storage>;
  /** Opens the backend once more, while it is open. */
  openBeside(): Promise<Storage>;
}

/** A bench and its end. */
export interface OwnedBench extends Bench {
  close(): Promise<void>;
}

export async function openBench(createSubject: () => Promise<Subject>): Promise<OwnedBench> {
  const dataDir = await makeFolder();
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
      const leak = logged.find((message) => message.includes(SECRET));
      assert.equal(leak, undefined, 'a password hash or a session digest was logged');
    },
  };
}
