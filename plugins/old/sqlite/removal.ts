import type { UserId } from '../../../src/old-plugin.ts';
import type { Database } from './database.ts';

/** Actions that are removed in one go: a history may have a million, and nobody should wait for long. */
const SLICE = 2000;

/** Removes the histories of accounts that are gone. Nobody can ask for them any more. */
export interface Removal {
  /** To be called inside the write that removes the account. */
  note(user: UserId): void;
  /** Removes what was noted, slice after slice among the writes of others. What is left goes when it is called again. */
  run(): Promise<void>;
}

export function createRemoval(database: Database): Removal {
  const note = database.prepare('INSERT OR IGNORE INTO removed_users (id) VALUES (@user)');
  const next = database.prepare<{ id: UserId }>('SELECT CAST(id AS TEXT) AS id FROM removed_users LIMIT 1');
  const removeSome = database.prepare(`DELETE FROM actions WHERE user_id = @user LIMIT ${SLICE}`);
  const forget = database.prepare('DELETE FROM removed_users WHERE id = @user');

  /** False when there is nothing left. */
  const removeSlice = (): boolean => {
    const user = next.get({})?.id;
    if (user === undefined) return false;
    if (removeSome.run({ user }).changes < SLICE) forget.run({ user });
    return true;
  };

  const removeAll = async (): Promise<void> => {
    try {
      while (await database.write(removeSlice));
    } catch {
      // The storage closes, or its disk is full: the rest goes after the next start.
    }
  };
  let last = Promise.resolve();

  return {
    note: (user) => void note.run({ user }),
    run: () => (last = last.then(removeAll)),
  };
}
