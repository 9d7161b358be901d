import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../folder.ts';
import { createTestDatabase } from '../../postgres/database.ts';
import { run } from '../podsync.ts';

/** Written by podsync before it stored which feeds ask not to be listed. */
const BACKUP = join(import.meta.dirname, 'earlier-backup.ndjson');

/** The records of a backup as that podsync wrote them, without checksums. */
const recordsOf = (backup: string): unknown[] =>
  backup
    .trim()
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line, (key, value: unknown) => (['crc', 'blocked'].includes(key) ? undefined : value)));

it('a backup of an earlier podsync is imported completely, with its marks, on every storage', async () => {
  const database = await createTestDatabase();
  const records = recordsOf(await readFile(BACKUP, 'utf8'));
  for (const storage of ['json', 'sqlite:podsync.db', database.url]) {
    const place = ['--data', await makeFolder(), '--storage', storage];
    const imported = await run(['import', BACKUP, '--json', ...place]);
    expect(imported.code).toBe(0);
    expect(JSON.parse(imported.stdout)).toMatchObject({
      accounts: [{ name: 'alice', devices: 3, subscriptions: 4, actions: 6, lists: 2, problem: null }],
    });
    const { stdout } = await run(['export', '--format', 'backup', ...place]);
    expect(recordsOf(stdout)).toEqual(records);
  }
  await database.destroy();
});
