import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Journal } from '../../../plugins/json/journal.ts';

const disk = vi.hoisted(() => ({ isBroken: false }));
vi.mock(import('../../../plugins/json/folder.ts'), async (original) => {
  const folder = await original();
  return {
    ...folder,
    syncFolder: async (path) => {
      if (disk.isBroken) throw Object.assign(new Error('broken'), { code: 'EIO' });
      await folder.syncFolder(path);
    },
  };
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'podsync-journal-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** How many files of the folder this process has open. */
async function countOpen(): Promise<number> {
  const handles = await readdir('/proc/self/fd');
  const paths = await Promise.all(handles.map((each) => readlink(`/proc/self/fd/${each}`).catch(() => '')));
  return paths.filter((path) => path.startsWith(folder)).length;
}

it.skipIf(process.platform !== 'linux')('leaves nothing of a file that it could not begin', async () => {
  const packing = {
    pack: (change: string) => [JSON.stringify(change)],
    unpack: ([change]: readonly unknown[]) => `${change}`,
  };
  const { journal } = await Journal.open(folder, packing, () => undefined);
  await journal.append('one');
  disk.isBroken = true;
  for (let time = 0; time < 3; time += 1) await expect(journal.rotate()).rejects.toMatchObject({ code: 'unavailable' });
  disk.isBroken = false;
  expect([await countOpen(), (await readdir(folder)).length]).toEqual([1, 1]);
  await journal.append('two');
  await journal.close();
});
