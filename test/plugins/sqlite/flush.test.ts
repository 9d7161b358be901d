import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Database } from '../../../plugins/sqlite/database.ts';

let folder: string;
let database: Database;

const openDatabase = (): Promise<Database> =>
  Database.open(join(folder, 'podsync.db'), { dataDir: folder, now: () => 1, overlap: 120, log: () => undefined });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'podsync-flush-'));
  database = await openDatabase();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await database.close();
  await rm(folder, { recursive: true });
});

/** What every open file has `datasync` from. */
async function spyOnDisk() {
  const file = await open(folder);
  const prototype = Object.getPrototypeOf(file) as typeof file;
  await file.close();
  return vi.spyOn(prototype, 'datasync');
}

const add = (slug: string): Promise<unknown> =>
  database.write(() => database.prepare('INSERT INTO tags (slug, title) VALUES (@slug, @slug)').run({ slug }));
const list = (): Promise<string[]> =>
  database.read(() =>
    database
      .prepare<{ slug: string }>('SELECT slug FROM tags')
      .all({})
      .map(({ slug }) => slug),
  );

/** Enough for whatever waits for nothing but its turn. */
async function passTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
}

it('what is written is answered when the disk has it, and to a reader no sooner', async () => {
  const disk = await spyOnDisk();
  const gates: (() => void)[] = [];
  disk.mockImplementation(() => new Promise((resolve) => gates.push(resolve)));
  const answered: string[] = [];
  const asked = [add('a').then(() => answered.push('a'))];
  await passTurns();
  asked.push(list().then((found) => answered.push(`found ${found.join()}`)));
  await passTurns();
  for (const slug of ['b', 'c']) {
    asked.push(add(slug).then(() => answered.push(slug)));
    await passTurns();
  }
  expect(answered).toEqual([]);
  gates.shift()!();
  await passTurns();
  expect(answered.toSorted()).toEqual(['a', 'found a']);
  // Both that were committed meanwhile.
  expect(gates).toHaveLength(1);
  gates.shift()!();
  await Promise.all(asked);
  expect(answered.slice(2)).toEqual(['b', 'c']);
  expect(await list()).toEqual(['a', 'b', 'c']);
  expect(disk).toHaveBeenCalledTimes(2);
});

it('after the disk has failed nothing is answered until the file is opened anew', async () => {
  const failure = Object.assign(new Error('i/o error'), { code: 'EIO' });
  (await spyOnDisk()).mockRejectedValueOnce(failure);
  const refused = expect.objectContaining({ code: 'unavailable', message: expect.stringContaining('EIO') });
  await expect(add('a')).rejects.toThrow(refused);
  await expect(add('b')).rejects.toThrow(refused);
  await expect(list()).rejects.toThrow(refused);
  await database.close();
  database = await openDatabase();
  await add('c');
  expect(await list()).toContain('c');
});
