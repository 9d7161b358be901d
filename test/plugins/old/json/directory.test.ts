import { cp, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import json from '../../../../plugins/old/json/index.ts';
import { toQueryTerms, toTerms } from '../../../../src/domain/terms.ts';
import type { DirectoryRecord, Storage, UserId } from '../../../../src/old-plugin.ts';
import { createAdministration } from '../../../../src/services/administration.ts';
import { recordFeed } from '../../../readings.ts';

const [A, B, C] = ['http://example.org/a', 'http://example.org/b', 'http://example.org/c'] as const;
const [ONE, TWO] = ['http://example.org/1.mp3', 'http://example.org/2.mp3'] as const;
const NOW = 1_700_000_000;

let dataDir: string;
let storage: Storage;
const open = async (): Promise<void> => {
  storage = await json.open(json.parse(''), { dataDir, now: () => NOW, overlap: 120, log: () => undefined });
};
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'podsync-directory-'));
  await open();
  const { id } = await storage.users.create({ name: 'bob', passwordHash: 'x' });
  await storage.subscriptions.replace(id, 'phone', [A]);
});
afterEach(async () => {
  await storage.close();
  await rm(dataDir, { recursive: true });
});

async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
}

const episodeFile = async (): Promise<string> => (await filesBelow(join(dataDir, 'episodes')))[0]!;

it('a feed that moves while its episodes are read has them all the same', async () => {
  const feeds = Array.from({ length: 60 }, (_, n) => `http://example.org/feed-${n}`);
  const { id } = await storage.users.create({ name: 'ann', passwordHash: 'x' });
  await storage.subscriptions.replace(id, 'phone', feeds);
  for (const [n, url] of feeds.entries()) {
    const episodes = [
      { url: `http://example.org/${n}.mp3`, guid: `${n}`, title: 'One', description: 'x'.repeat(50_000) },
    ];
    await recordFeed(storage, url, {}, episodes);
  }
  await storage.close();
  await open(); // nothing is in memory
  const [first] = await Promise.all([
    storage.podcasts.episodesSince(feeds, 0, 50),
    recordFeed(storage, feeds.at(-1)!, {}, [], { movedTo: 'http://example.org/new' }),
  ]);
  expect(first.items).toHaveLength(60);
});

it('a folder whose directory was removed gets one from the subscriptions and actions', async () => {
  const { id } = await storage.users.create({ name: 'ann', passwordHash: 'x' });
  await storage.subscriptions.replace(id, 'phone', [B]);
  await storage.subscriptions.replace(id, 'phone', []);
  await storage.actions.append(id, [{ podcast: C, episode: ONE, action: 'new', device: 'phone', timestamp: NOW }]);
  await storage.close();
  await rm(join(dataDir, 'podcasts'), { recursive: true });
  await rm(join(dataDir, 'directory.json'), { force: true });
  await open();
  expect(await storage.podcasts.find([A, B, C])).toMatchObject([
    { url: A, subscribers: 1 },
    { url: B, subscribers: 0 },
    { url: C, subscribers: 0 },
  ]);
  expect(await storage.podcasts.claimDue(9, 60)).toMatchObject([{ url: A }]);
});

it('a feed that turns out to be one with another while a backup is written is in it', async () => {
  const { id } = await storage.users.create({ name: 'ann', passwordHash: 'x' });
  await storage.subscriptions.replace(id, 'phone', [B]);
  await recordFeed(storage, A, {}, [{ url: ONE }]);
  await recordFeed(storage, B, {}, [{ url: TWO }]);
  const told: DirectoryRecord[] = [];
  for await (const page of storage.transfer.exportDirectory()) {
    told.push(...page);
    if (told.length === 2) await recordFeed(storage, B, {}, [], { movedTo: A });
  }
  expect(told.flatMap((each) => (each.kind === 'podcast' ? each.url : []))).toEqual([A, A]);
  expect(told.flatMap((each) => (each.kind === 'episode' ? each.episode.url : []))).toContain(TWO);
});

it('a reading that was killed before the journal told of it left nothing, and is taken the next time', async () => {
  const episodes = join(dataDir, 'episodes');
  await recordFeed(storage, A, {}, [{ url: ONE, title: 'First' }]);
  await storage.close();
  const before = await mkdtemp(join(tmpdir(), 'podsync-killed-'));
  await cp(dataDir, before, { recursive: true });
  await open();
  const second = [{ url: TWO }, { url: ONE, title: 'Second' }];
  await recordFeed(storage, A, {}, second);
  await storage.close();
  await cp(episodes, join(before, 'episodes'), { recursive: true }); // all that such a reading had written
  await rm(dataDir, { recursive: true });
  await rename(before, dataDir);

  await open();
  expect((await storage.podcasts.episodes(A, 9)).map(({ url, title }) => [url, title])).toEqual([[ONE, 'First']]);
  const { mark } = await storage.podcasts.episodesSince([A], 0, 9);
  await recordFeed(storage, A, {}, second);
  const { items } = await storage.podcasts.episodesSince([A], mark, 9);
  expect(items.map(({ url }) => url)).toEqual([TWO]);
  await storage.close();
  expect(await filesBelow(episodes)).toHaveLength(1);
  await open();
  expect((await storage.podcasts.episodes(A, 9)).map(({ title }) => title)).toContain('Second');
});

it('the toplist is rebuilt, and accounts are listed, while others are removed', async () => {
  const ids: UserId[] = [];
  for (let n = 0; n < 120; n += 1) {
    // more than stay in memory
    const { id } = await storage.users.create({ name: `ann-${n}`, passwordHash: 'x' });
    await storage.subscriptions.replace(id, 'phone', [B]);
    ids.push(id);
  }
  await storage.close();
  await open();
  const { list } = createAdministration(
    storage,
    { hash: async () => '' },
    { all: async () => [], endAll: async () => 0 },
  );
  const names = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { user } of list()) found.push(user.name);
    return found;
  };
  for (const id of ids) await Promise.all([storage.podcasts.rebuildToplist(), names(), storage.users.delete(id)]);
  expect(await names()).toEqual(['bob']);
  expect(await storage.podcasts.find([B])).toMatchObject([{ subscribers: 0 }]);
});

it('tells which file of episodes is damaged, and serves everything else', async () => {
  await recordFeed(storage, A, { title: 'Alpha' }, [{ url: ONE }]);
  await storage.close();
  const path = await episodeFile();
  await writeFile(path, '{"episodes": [');
  await open();
  expect(await storage.podcasts.find([A])).toMatchObject([{ title: 'Alpha' }]);
  await expect(storage.podcasts.episodes(A, 9)).rejects.toMatchObject({ code: 'corrupt' });
  await expect(storage.podcasts.episodes(A, 9)).rejects.toThrow(path);
});

it('writes a file of episodes only when they changed, for its owner alone', async () => {
  await recordFeed(storage, A, {}, [{ url: ONE, guid: 'one' }]);
  const before = await stat(await episodeFile());
  await recordFeed(storage, A, { title: 'Another title' }, [{ url: ONE, guid: 'one' }]);
  const after = await stat(await episodeFile());
  expect(after.ino).toBe(before.ino);
  expect(after.mode & 0o777).toBe(0o600);
});

it.each([
  ['The Café of ÅNGSTRÖM', ['the', 'cafe', 'of', 'angstrom']],
  ['ΣΊΣΥΦΟΣ ΣΊΣ', ['σισυφοσ', 'σισ']],
  ['Straße STRASSE', ['strasse', 'strasse']],
  ['鉄道ファン', ['鉄道', '道フ', 'ファ', 'ァン', 'ン']],
  ['日本語 Podcast2go', ['日本', '本語', '語', 'podcast2go']],
  ['สวัสดี', ['สว', 'วั', 'ัส', 'สด', 'ดี', 'ี']],
  ['हिन्दी', ['हिन्दी']],
  ['한국어 뉴스', ['한국어', '뉴스']],
  ['Ｆｕｌｌ ｗｉｄｔｈ', ['full', 'width']],
  ['!? …', []],
])('the words of %s', (text, terms) => {
  expect(toTerms(text)).toEqual(terms);
});

it('asks for no single character where a pair has it', () => {
  expect(toQueryTerms('鉄道')).toEqual(['鉄道']);
  expect(toQueryTerms('鉄')).toEqual(['鉄']);
});
