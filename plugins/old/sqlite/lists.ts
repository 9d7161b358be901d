import type { ListStore, PodcastList, Url } from '../../../src/old-plugin.ts';
import { listTaken } from '../errors.ts';
import type { Database } from './database.ts';
import { fromColumn, toColumn } from './text.ts';

export interface ListRow {
  name: string;
  title: string | Buffer;
  urls: string;
}

export function createListStore(database: Database): ListStore {
  const all = database.prepare<ListRow>('SELECT name, title FROM lists WHERE user_id = @user ORDER BY place');
  const find = database.prepare<ListRow>('SELECT name, title, urls FROM lists WHERE user_id = @user AND name = @name');
  const insert = database.prepare(
    `INSERT INTO lists (user_id, name, title, urls, place)
     SELECT @user, @name, @title, @urls, ifnull(max(place), 0) + 1 FROM lists WHERE user_id = @user`,
  );
  const replace = database.prepare('UPDATE lists SET urls = @urls WHERE user_id = @user AND name = @name');
  const remove = database.prepare('DELETE FROM lists WHERE user_id = @user AND name = @name');

  return {
    all: (user) =>
      database.read(() => all.all({ user }).map(({ name, title }) => ({ name, title: fromColumn(title) }))),

    find: (user, name) =>
      database.read(() => {
        const row = find.get({ user, name });
        return row && toList(row);
      }),

    create: (user, { name, title, urls }) =>
      database.write(() => {
        if (find.get({ user, name })) throw listTaken();
        insert.run({ user, name, title: toColumn(title), urls: JSON.stringify(urls) });
      }),

    replace: (user, name, urls) =>
      database.write(() => {
        database.requireUser(user);
        return replace.run({ user, name, urls: JSON.stringify(urls) }).changes > 0;
      }),

    delete: (user, name) =>
      database.write(() => {
        database.requireUser(user);
        return remove.run({ user, name }).changes > 0;
      }),
  };
}

/** A podcast list as the contract has it; its URLs are kept as JSON. */
export const toList = ({ name, title, urls }: ListRow): PodcastList => ({
  name,
  title: fromColumn(title),
  urls: JSON.parse(urls) as Url[],
});
