import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import json from '../../../../plugins/old/json/index.ts';
import type { Storage } from '../../../../src/old-plugin.ts';

let dataDir: string;
const open = (): Promise<Storage> =>
  json.open(json.parse(''), { dataDir, now: () => 1_700_000_000, overlap: 120, log: () => undefined });

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'podsync-json-'));
  const storage = await open();
  const { id } = await storage.users.create({ name: 'bob', passwordHash: 'x' });
  await storage.subscriptions.apply(id, 'phone', [{ url: 'http://example.org/a', subscribed: true }]);
  await storage.close();
});
afterEach(() => rm(dataDir, { recursive: true }));

it.each([
  [/^accounts\.json$/, 'EISDIR', (path: string) => mkdir(path)],
  [/\/account\.json$/, 'EISDIR', (path: string) => mkdir(path)],
  [/^journal-/, 'ELOOP', (path: string) => symlink(path, path)],
])('a file that cannot be read is named, as one of many may have another owner: %s', async (pattern, code, spoil) => {
  const names = await readdir(dataDir, { recursive: true });
  const path = join(
    dataDir,
    names.find((name) => pattern.test(name))!,
  );
  await rm(path);
  await spoil(path);
  const message = `${path} could not be used (${code}); check its disk, its owner and its permissions`;
  await expect(open()).rejects.toMatchObject({ code: 'unavailable', message });
});

it('a file where the folder belongs is told as that', async () => {
  const folder = join(dataDir, 'accounts.json');
  for (const dataDir of [folder, join(folder, 'below')]) {
    const opening = json.open(json.parse(''), { dataDir, now: () => 1, overlap: 120, log: () => undefined });
    const message = `${dataDir} is a file, or lies in one; give podsync a folder`;
    await expect(opening).rejects.toMatchObject({ code: 'unavailable', message });
  }
});

it('uploads in the form of an earlier state are not passed over', async () => {
  const rest =
    '1000,{"account":{"user":"x","changes":[{"kind":"act","upload":{"stamp":1700000001,"at":1700000000}}]}},[]]';
  const line = `["${crc32(rest).toString(16).padStart(8, '0')}",${rest}\n`;
  const journal = join(dataDir, 'journal-000000000999.jsonl');
  await writeFile(journal, line);
  await expect(open()).rejects.toMatchObject({
    code: 'corrupt',
    message: expect.stringContaining('an earlier podsync'),
  });
  expect(await readFile(journal, 'utf8')).toBe(line);
});
