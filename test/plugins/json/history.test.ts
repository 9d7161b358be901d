import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import json from '../../../plugins/json/index.ts';
import type { EpisodeAction, Storage } from '../../../src/plugin.ts';
import { readPages } from '../../../src/testing/samples.ts';

const MEGABYTE = 1024 * 1024;

/** An action of a megabyte. */
const actOn = (episode: number): EpisodeAction => ({
  podcast: 'http://example.org/a',
  episode: `http://example.org/${String(episode).padEnd(MEGABYTE, 'x')}`,
  action: 'new',
  timestamp: 1_600_000_000 + episode,
});

it('long actions lie in many files, as none could be read that is longer than a string may be', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'podsync-history-'));
  const open = (): Promise<Storage> =>
    json.open(json.parse(''), { dataDir, now: () => 1_700_000_000, overlap: 120, log: () => undefined });
  let storage = await open();
  const { id } = await storage.users.create({ name: 'bob', passwordHash: 'x' });
  const expected: EpisodeAction[] = [];
  for (const restarts of [false, true, true, true, false]) {
    const actions = Array.from({ length: 9 }, (_, n) => actOn(expected.length + n));
    await storage.actions.append(id, actions);
    expected.push(...actions);
    if (!restarts) continue;
    await storage.close();
    storage = await open();
  }
  const { pages } = await storage.actions.query(id, {});
  expect((await readPages(pages)).map(({ timestamp }) => timestamp)).toEqual(
    expected.map(({ timestamp }) => timestamp),
  );
  await storage.close();

  const folder = join(dataDir, 'users', id);
  const files = (await readdir(folder)).filter((name) => name.startsWith('actions-')).toSorted();
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).size));
  expect(sizes.map((size) => Math.round(size / MEGABYTE))).toEqual([18, 18, 9]);
  await rm(dataDir, { recursive: true });
});
