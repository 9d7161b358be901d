import { expect, it } from 'vitest';
import { FORMAT, FORMAT_KEY } from '../../src/storage/format.ts';
import { loadStorage } from '../../src/storage/load.ts';
import { openStorage } from '../../src/storage/open.ts';
import { makeFolder } from '../folder.ts';
import { createTestStorage } from '../storages.ts';

it.each(['json', 'sqlite', 'postgres'] as const)(
  '%s: data of a newer podsync is refused, with what to do, and not changed',
  async (name) => {
    const dataDir = await makeFolder();
    const { spec, destroy } = await createTestStorage(name);
    const context = { dataDir, now: () => 1_800_000_000, overlap: 120, log: () => undefined };
    const open = () => openStorage(spec, dataDir, context);
    const store = async () => {
      const { plugin, options } = await loadStorage(spec, dataDir);
      return plugin.open(options, context);
    };
    await (await open()).close();
    await (await open()).close();

    const newer = await store();
    await newer.commit({ check: [], set: [[FORMAT_KEY, String(FORMAT + 1)]] });
    await newer.close();
    await expect(open()).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining(
        `written by a podsync of another version (format ${FORMAT + 1}, this one supports ${FORMAT}); install that version, or restore a backup`,
      ),
    });

    const after = await store(); // and it was closed
    expect((await after.list({ from: ' ', until: '~', limit: 10 })).map(({ key, value }) => [key, value])).toEqual([
      [FORMAT_KEY, String(FORMAT + 1)],
    ]);
    await after.close();
    await destroy();
  },
);
