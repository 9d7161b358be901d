import { randomUUID } from 'node:crypto';
import { toParts, type TransferStore, type Url, type UserId } from '../../../src/old-plugin.ts';
import { exportAccount } from './account-export.ts';
import { Arrival } from './account-import.ts';
import type { Database } from './database.ts';
import { exportDirectory } from './directory-export.ts';
import { importPodcast } from './directory-import.ts';
import { refuseTaken } from './users.ts';

export const createTransferStore = (database: Database): TransferStore => ({
  exportUser: (user) => exportAccount(database, user),

  importUser(records) {
    const { accounts, context, registry } = database;
    const id = randomUUID() as UserId;
    return database.arriving(id, async () => {
      const folder = await accounts.createFolder(id);
      const arrival = await Arrival.open(id, folder, context.now() - context.overlap + 1);
      for await (const page of records) {
        await arrival.take(page);
        refuseTaken(registry, arrival.user);
      }
      const feeds = await arrival.write(context.now());
      await database.inLine('registry', () => {
        refuseTaken(registry, arrival.user);
        return admit(database, arrival, feeds);
      });
      return id;
    });
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

/** Makes an account whose files are written already visible, all at once. To be called in the line of the registry. */
const admit = (database: Database, { user, sessions }: Arrival, feeds: readonly Url[]): Promise<void> =>
  database.inLine(user.id, async () => {
    const { accounts, acted, context, directory, registry } = database;
    // It stays in memory meanwhile, as every account does while a step of its user is in line.
    const account = await accounts.admit(user);
    await acted.noteAll(account.history);
    const opened = sessions.filter(({ digest }) => !registry.sessions.has(digest));
    await database.write({
      registry: [{ kind: 'user', user }, ...opened.map((session) => ({ kind: 'session' as const, session }))],
      directory: [{ kind: 'meet', urls: directory.unknown(feeds), at: context.now() }],
    });
  });
