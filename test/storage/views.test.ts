import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, it } from 'vitest';
import { loadDriver } from '../../plugins/sqlite/driver.ts';
import { openStorage } from '../../src/storage/open.ts';
import { makeFolder } from '../folder.ts';
import { createBareDatabase } from '../postgres/database.ts';
import { action, add, addUser, feed, feeds, remove } from './suite/samples.ts';

const NOW = 1_800_000_000;
const readView = (name: string): Promise<string> =>
  readFile(join(import.meta.dirname, '../../examples/sql', name), 'utf8');

const columnsOf = (n: number) => ({ podcast: action(n).podcast, episode: action(n).episode });

interface Views {
  query(sql: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** Creates the views in a database, as an administrator would. */
const OPEN: Record<string, (spec: string, dataDir: string) => Promise<Views>> = {
  async sqlite(_spec, dataDir) {
    const database = (await loadDriver())(join(dataDir, 'podsync.sqlite'));
    database.exec(await readView('views.sqlite.sql'));
    return {
      query: async (sql) => database.prepare<[], Record<string, unknown>>(sql).all(),
      close: async () => void database.close(),
    };
  },
  async postgres(spec) {
    const sql = postgres(spec, { max: 1, onnotice: () => undefined, connection: { search_path: 'public, podsync' } });
    await sql.unsafe(await readView('views.sql'));
    return { query: (text) => sql.unsafe(text), close: () => sql.end() };
  },
};

it.each(['sqlite', 'postgres'])(
  'the views show devices, subscriptions and episode actions as columns: %s',
  async (kind) => {
    const dataDir = await makeFolder();
    const database = kind === 'postgres' ? await createBareDatabase() : undefined;
    const isExact = kind === 'postgres'; // drivers of SQLite differ in what they return of such texts
    const spec = database?.url ?? kind;
    const storage = await openStorage(spec, dataDir, { dataDir, now: () => NOW, overlap: 120, log: () => undefined });
    const alice = await addUser(storage);
    await storage.users.update(alice, { email: 'a\0@example.org' });
    await storage.devices.save(alice, 'phone', { caption: 'Ann’s', type: 'mobile' });
    await storage.subscriptions.replace(alice, 'phone', feeds(100));
    await storage.subscriptions.apply(alice, 'phone', [...remove(feed(1)), ...add(feed(200))]);
    await storage.subscriptions.apply(alice, 'tv', add(feed(1)));
    await storage.devices.save(alice, 'watch', { caption: 'a\0b\ud800 \\u0000' });
    await storage.actions.append(alice, [
      action(1, { guid: '\udfff' }),
      action(2, { device: 'tv', action: 'play', play: { position: 20, started: 10, total: 30 } }),
    ]);
    await storage.actions.append(alice, [action(3)]); // stored as single values, not as arrays

    const views = await OPEN[kind]!(spec, dataDir); // while podsync runs
    const [account] = await views.query('SELECT name, email FROM accounts');
    expect(account).toEqual({ name: 'alice', email: isExact ? 'a\ufffd@example.org' : expect.stringMatching(/^a/) });
    const devices = await views.query('SELECT account, device, caption, type FROM devices ORDER BY device');
    expect(devices).toEqual([
      { account: 'alice', device: 'phone', caption: 'Ann’s', type: 'mobile' },
      { account: 'alice', device: 'tv', caption: '', type: 'other' },
      {
        account: 'alice',
        device: 'watch',
        caption: isExact ? 'a\ufffdb\ufffd \\u0000' : expect.stringMatching(/^a/),
        type: 'other',
      },
    ]);
    const subscriptions = await views.query("SELECT url FROM subscriptions WHERE device = 'phone'");
    const urls = [...feeds(100).slice(1), feed(200)];
    expect(subscriptions.map(({ url }) => url).toSorted()).toEqual(urls.toSorted());
    expect(await views.query("SELECT url FROM subscriptions WHERE device = 'tv'")).toEqual([{ url: feed(1) }]);
    const columns = 'account, podcast, episode, device, action, started, position, total, guid';
    expect(await views.query(`SELECT ${columns} FROM episode_actions ORDER BY episode LIMIT 2`)).toEqual([
      {
        account: 'alice',
        ...columnsOf(1),
        device: null,
        action: 'download',
        started: null,
        position: null,
        total: null,
        guid: isExact ? '\ufffd' : expect.any(String),
      },
      {
        account: 'alice',
        ...columnsOf(2),
        device: 'tv',
        action: 'play',
        started: 10,
        position: 20,
        total: 30,
        guid: null,
      },
    ]);
    const [times] = await views.query(
      'SELECT CAST(min(happened_at) AS text) AS first, CAST(max(happened_at) AS text) AS last, CAST(min(uploaded_at) AS text) AS at FROM episode_actions',
    );
    expect(times).toEqual({ first: '2023-11-14 22:13:21', last: '2023-11-14 22:13:23', at: '2027-01-15 08:00:00' });
    await views.close();
    await storage.close();
    await database?.destroy();
  },
);
