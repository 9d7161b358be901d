import type { ListStore, PodcastList, Url } from '../../../src/old-plugin.ts';
import { listTaken } from '../errors.ts';
import type { Database } from './database.ts';
import type { Stamps } from './stamps.ts';

export interface ListRow {
  name: string;
  title: string;
  urls: string;
}

export function createListStore(database: Database, stamps: Stamps): ListStore {
  const all = database.prepare<ListRow>('SELECT name, title FROM lists WHERE user_id = @user ORDER BY place');
  const find = database.prepare<ListRow>('SELECT name, title, urls FROM lists WHERE user_id = @user AND name = @name');
  const insert = database.prepare(
    `INSERT INTO lists (user_id, name, title, urls, place)
     SELECT @user, @name, @title, @urls, coalesce(max(place), 0) + 1 FROM lists WHERE user_id = @user
     ON CONFLICT DO NOTHING`,
  );
  const replace = database.prepare('UPDATE lists SET urls = @urls WHERE user_id = @user AND name = @name');
  const remove = database.prepare('DELETE FROM lists WHERE user_id = @user AND name = @name');

  return {
    all: (user) => database.read((connection) => all.all(connection, { user })),

    find: (user, name) =>
      database.read(async (connection) => {
        const row = await find.get(connection, { user, name });
        return row && toList(row);
      }),

    create: (user, { name, title, urls }) =>
      database.writeFor(user, async (connection) => {
        await stamps.lockUser(connection, user);
        const row = { user, name, title, urls: JSON.stringify(urls) };
        if ((await insert.run(connection, row)) === 0) throw listTaken();
      }),

    replace: (user, name, urls) =>
      database.writeFor(user, async (connection) => {
        await stamps.lockUser(connection, user);
        return (await replace.run(connection, { user, name, urls: JSON.stringify(urls) })) > 0;
      }),

    delete: (user, name) =>
      database.writeFor(user, async (connection) => {
        await stamps.lockUser(connection, user);
        return (await remove.run(connection, { user, name })) > 0;
      }),
  };
}

/** A podcast list as the contract has it; its URLs are kept as JSON. */
export const toList = ({ name, title, urls }: ListRow): PodcastList => ({
  name,
  title,
  urls: JSON.parse(urls) as Url[],
});
