import { toParts, type TransferStore } from '../../../src/old-plugin.ts';
import type { Database } from './database.ts';
import type { StorePart } from './directory-import.ts';

/** Those that others refer to come last. */
const EMPTYING = [
  'DELETE FROM users',
  'INSERT INTO removed_users SELECT id FROM arriving_users',
  ...['arriving_users', 'toplists', 'episodes', 'podcast_tags', 'tags', 'podcasts'].map(
    (table) => `DELETE FROM ${table}`,
  ),
  'DELETE FROM search_index',
  'DELETE FROM search_words',
  'UPDATE directory SET stamp = 0',
  'DELETE FROM actions',
];

export function createTransferStore(
  database: Database,
  accounts: Pick<TransferStore, 'exportUser' | 'importUser'>,
  exportDirectory: TransferStore['exportDirectory'],
  storePart: StorePart,
): TransferStore {
  const emptying = EMPTYING.map((sql) => database.prepare(sql));
  return {
    ...accounts,
    exportDirectory,
    async importDirectory(records) {
      for await (const part of toParts(records)) await database.write(() => storePart(part));
    },
    clear: () =>
      database.write(() => {
        for (const statement of emptying) statement.run({});
      }),
  };
}
