import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import json from '../../../../plugins/old/json/index.ts';
import type { EpisodeAction, Storage } from '../../../../src/old-plugin.ts';
import { actions, readPages } from '../../../storage/suite/samples.ts';

const MEGABYTE = 1024 * 1024;

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'podsync-history-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

const open = (): Promise<Storage> =>
  json.open(json.parse(''), { dataDir, now: () => 1_700_000_000, overlap: 120, log: () => undefined });

/** Bytes of each of the files that the history of a user lies in. */
async function fileSizes(user: string): Promise<number[]> {
  const folder = join(dataDir, 'users', user);
  const files = (await readdir(folder)).filter((name) => name.startsWith('actions-')).toSorted();
  return Promise.all(files.map(async (name) => (await stat(join(folder, name))).size));
}

it('many actions lie in several files, and come in pages that are short enough to be sent between others', async () => {
  const expected = actions(13_007);
  let storage = await open();
  const { id } = await storage.users.create({ name: 'bob', passwordHash: 'x' });
  const marks: [stored: number, mark: number][] = [];
  let stored = 0;
  for (const size of [3990, 20, 1, 8489, 507]) {
    await storage.actions.append(id, expected.slice(stored, (stored += size)));
    marks.push([stored, (await storage.actions.query(id, {})).mark]);
    await storage.close();
    storage = await open();
  }
  for (const [before, since] of marks) {
    const { pages } = await storage.actions.query(id, { since });
    expect(await readPages(pages)).toEqual(expected.slice(before));
  }
  for await (const page of (await storage.actions.query(id, {})).pages) expect(page.length).toBeLessThanOrEqual(1000);
  await storage.close();
  expect(await fileSizes(id)).toHaveLength(4);
});

/** An action of a megabyte. */
const actOn = (episode: number): EpisodeAction => ({
  podcast: 'http://example.org/a',
  episode: `http://example.org/${String(episode).padEnd(MEGABYTE, 'x')}`,
  action: 'new',
  timestamp: 1_600_000_000 + episode,
});

it('long actions lie in many files, as none could be read that is longer than a string may be', async () => {
  let storage = await open();
  const { id } = await storage.users.create({ name: 'bob', passwordHash: 'x' });
  const expected: EpisodeAction[] = [];
  for (const restarts of [false, true, true, true, false]) {
    const uploaded = Array.from({ length: 9 }, (_, n) => actOn(expected.length + n));
    await storage.actions.append(id, uploaded);
    expected.push(...uploaded);
    if (!restarts) continue;
    await storage.close();
    storage = await open();
  }
  const { pages } = await storage.actions.query(id, {});
  expect((await readPages(pages)).map(({ timestamp }) => timestamp)).toEqual(
    expected.map(({ timestamp }) => timestamp),
  );
  await storage.close();
  expect((await fileSizes(id)).map((size) => Math.round(size / MEGABYTE))).toEqual([18, 18, 9]);
});
