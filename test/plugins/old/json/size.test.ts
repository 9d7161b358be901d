import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import json from '../../../../plugins/old/json/index.ts';
import type { SettingScope, Storage } from '../../../../src/old-plugin.ts';

const open = (dataDir: string): Promise<Storage> =>
  json.open(json.parse(''), { dataDir, now: () => 1_700_000_000, overlap: 120, log: () => undefined });

it('an account takes no more than its file can hold, and less of it makes room', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'podsync-json-'));
  let storage = await open(dataDir);
  const bob = (await storage.users.create({ name: 'bob', passwordHash: 'x' })).id;
  const on = (device: string): SettingScope => ({ kind: 'device', device });
  const keep = (device: string, megabytes: number) =>
    storage.settings.update(bob, on(device), {
      set: Object.fromEntries(Array.from({ length: megabytes }, (_, key) => [key, 'x'.repeat(1024 * 1024)])),
      remove: [],
      limit: 1000,
    });
  const subscribe = (name: string) =>
    storage.subscriptions.apply(bob, 'phone', [{ url: `http://example.org/${name}`, subscribed: true }]);

  await subscribe('first');
  await keep('phone', 40);
  await expect(keep('laptop', 40)).rejects.toMatchObject({ code: 'full' });
  await keep('laptop', 23);
  await storage.close();
  storage = await open(dataDir);
  await expect(keep('tablet', 1)).rejects.toMatchObject({ code: 'full' });
  await subscribe('second');

  const keys = Array.from({ length: 40 }, (_, key) => String(key));
  await storage.settings.update(bob, on('phone'), { set: {}, remove: keys, limit: 1000 });
  await storage.close();
  storage = await open(dataDir);
  await keep('tablet', 1);
  expect(await storage.subscriptions.current(bob)).toEqual(['http://example.org/first', 'http://example.org/second']);
  await storage.close();
  await rm(dataDir, { recursive: true });
});
