import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import json from '../../../../plugins/old/json/index.ts';
import type { EpisodeAction, Storage } from '../../../../src/old-plugin.ts';
import { readPages } from '../../../storage/suite/samples.ts';

const A = 'http://example.org/a';
const actOn = (episode: number): EpisodeAction => ({
  podcast: A,
  episode: `http://example.org/${episode}`,
  device: 'phone',
  action: 'play',
  timestamp: 1_600_000_000 + episode,
  play: { position: 5, started: 1, total: 9 },
});

let dataDir: string;
const open = (): Promise<Storage> =>
  json.open(json.parse(''), { dataDir, now: () => 1_700_000_000, overlap: 120, log: () => undefined });

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'podsync-json-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

/** Rewrites the one file of this name. */
async function edit(name: string, change: (text: string) => string): Promise<void> {
  const names = await readdir(dataDir, { recursive: true });
  const file = join(
    dataDir,
    names.find((each) => each.endsWith(name))!,
  );
  const text = await readFile(file, 'utf8');
  const changed = change(text);
  expect(changed).not.toBe(text);
  await writeFile(file, changed);
}

/** Actions as columns, of which each is a list. */
const asLists = (actions: readonly EpisodeAction[]) => ({
  podcast: actions.map(({ podcast }) => podcast),
  episode: actions.map(({ episode }) => episode),
  action: actions.map(({ action }) => action),
  timestamp: actions.map(({ timestamp }) => timestamp),
  device: actions.map(({ device }) => device),
  guid: actions.map(() => null),
  position: actions.map(({ play }) => play?.position),
  started: actions.map(({ play }) => play?.started),
  total: actions.map(({ play }) => play?.total),
});

it.each([
  ['an object each', (actions: readonly EpisodeAction[]) => actions],
  ['lists, also where all have the same', asLists],
])('episode actions that are %s, as early podsyncs wrote them, are read, and go on', async (_, toEarly) => {
  let storage = await open();
  const { id } = await storage.users.create({ name: 'bob', passwordHash: 'x' });
  await storage.actions.append(id, [actOn(1)]);
  await storage.close();
  await edit('actions-000001.json', (text) =>
    text.replace(/"actions":.*}}/, `"actions":${JSON.stringify(toEarly([actOn(1)]))}}`),
  );
  const rest = `[1000,${JSON.stringify({
    account: { user: id, changes: [], upload: { stamp: 1_700_000_009, at: 1_700_000_000, changes: [{ kind: 'act' }] } },
  })},${JSON.stringify(toEarly([actOn(2)]))}]]`;
  const line = `["${crc32(rest).toString(16).padStart(8, '0')}",${rest}\n`;
  await writeFile(join(dataDir, 'journal-000000000999.jsonl'), line);

  for (const expected of [
    [1, 2],
    [1, 2, 3],
    [1, 2, 3, 4],
  ]) {
    storage = await open();
    const { pages } = await storage.actions.query(id, {});
    expect(await readPages(pages)).toEqual(expected.map(actOn));
    await storage.actions.append(id, [...expected, expected.length + 1].map(actOn));
    await storage.close();
  }
});

it('a repeat is found though early podsyncs did not write how new the stored actions are', async () => {
  let storage = await open();
  const { id } = await storage.users.create({ name: 'bob', passwordHash: 'x' });
  await storage.actions.append(id, [actOn(1)]);
  await storage.close();
  await edit('account.json', (text) => text.replace(/,"newest":\d+/, ''));

  for (const newest of [1, 2, 3]) {
    storage = await open();
    await storage.actions.append(id, [actOn(newest)]);
    const { pages } = await storage.actions.query(id, {});
    expect(await readPages(pages)).toEqual([1, 2, 3].slice(0, newest).map(actOn));
    await storage.close();
  }
});

it('an account that has no file, as early podsyncs left one that had nothing, gets one', async () => {
  let storage = await open();
  const { id } = await storage.users.create({ name: 'bob', passwordHash: 'x' });
  const folder = join(dataDir, 'users', id);
  await storage.close();
  await edit('accounts.json', (text) => text.replace('"filed": true,\n', ''));
  await rm(folder, { recursive: true });

  storage = await open();
  expect(await storage.subscriptions.current(id)).toEqual([]);
  await storage.close();
  await rm(folder, { recursive: true });
  await expect(open()).rejects.toThrow(`${join(folder, 'account.json')} is missing`);
});
