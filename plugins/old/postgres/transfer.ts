import { toParts, type TransferStore } from '../../../src/old-plugin.ts';
import type { Database } from './database.ts';
import type { StorePart } from './directory-import.ts';

const EMPTY = `
  TRUNCATE users, arriving_users, logins, sessions, attempts, devices, subscriptions, actions, uploads, settings, lists,
    followers, podcasts, podcast_urls, tags, podcast_tags, episodes, episode_urls, acted, toplists, search_index, search_words`;

export function createTransferStore(
  database: Database,
  accounts: Pick<TransferStore, 'exportUser' | 'importUser'>,
  exportDirectory: TransferStore['exportDirectory'],
  storePart: StorePart,
): TransferStore {
  const empty = database.prepare(EMPTY);
  const reset = database.prepare('UPDATE directory SET stamp = 0, told_at = 0');
  const goOn = database.prepare('UPDATE directory SET told_at = greatest(told_at, @toldAt)');
  return {
    ...accounts,
    exportDirectory,
    async importDirectory(records) {
      await database.write((connection) => goOn.run(connection, { toldAt: database.context.now() }));
      for await (const part of toParts(records)) await database.write((connection) => storePart(connection, part));
    },
    clear: () =>
      database.write(async (connection) => {
        await empty.run(connection, {});
        await reset.run(connection, {});
      }),
  };
}
