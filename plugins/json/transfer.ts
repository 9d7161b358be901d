import { randomUUID } from 'node:crypto';
import { toParts, type TransferStore, type UserId } from '../../src/plugin.ts';
import { exportAccount } from './account-export.ts';
import { Arrival } from './account-import.ts';
import type { Database } from './database.ts';
import { exportDirectory } from './directory-export.ts';
import { importPodcast } from './directory-import.ts';
import { refuseTaken } from './users.ts';

export const createTransferStore = (database: Database): TransferStore => ({
  exportUser: (user) => exportAccount(database, user),

  async importUser(records) {
    const { context, registry } = database;
    const id = randomUUID() as UserId;
    try {
      const folder = await database.newAccountFolder(id);
      const arrival = await Arrival.open(id, folder, context.now() - context.overlap + 1);
      for await (const page of records) {
        await arrival.take(page);
        refuseTaken(registry, arrival.user);
      }
      const feeds = await arrival.write(context.now());
      await database.inLine('registry', () => {
        refuseTaken(registry, arrival.user);
        return database.admit(arrival.user, arrival.sessions, feeds);
      });
      return id;
    } catch (error) {
      await database.withdraw(id);
      throw error;
    }
  },

  exportDirectory: () => exportDirectory(database),

  async importDirectory(records) {
    const { directory } = database;
    for await (const part of toParts(records)) {
      await database.inLine('directory', async () => {
        if (part.kind === 'podcast') return importPodcast(database, part);
        if (part.kind === 'tag') return database.write({ directory: [part] });
        const urls = part.urls.filter((url) => directory.find(url));
        const kept = directory.toplist.keptWithOther({ at: part.at, urls });
        if (kept !== directory.toplist.kept) return database.write({ directory: [{ kind: 'toplists', kept }] });
      });
    }
  },

  clear: () => database.clear(),
});
