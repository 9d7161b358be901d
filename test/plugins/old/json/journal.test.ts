import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Journal } from '../../../../plugins/old/json/journal.ts';

const disk = vi.hoisted(() => ({ isBroken: false }));
vi.mock(import('../../../../plugins/old/json/folder.ts'), async (original) => {
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

const packing = {
  pack: (change: string) => [JSON.stringify(change)],
  unpack: ([change]: readonly unknown[]) => `${change}`,
};
const open = () => Journal.open(folder, packing, () => undefined);

it.skipIf(process.platform !== 'linux')('leaves nothing of a file that it could not begin', async () => {
  const { journal } = await open();
  await journal.append('one');
  disk.isBroken = true;
  for (let time = 0; time < 3; time += 1) await expect(journal.rotate()).rejects.toMatchObject({ code: 'unavailable' });
  disk.isBroken = false;
  expect([await countOpen(), (await readdir(folder)).length]).toEqual([1, 1]);
  await journal.append('two');
  await journal.close();
});

it('a damaged line is no torn one where more was answered after it, though in another file', async () => {
  const { journal } = await open();
  for (const change of ['one', 'two']) await journal.append(change);
  await journal.rotate();
  await journal.append('three');
  await journal.close();
  const older = join(folder, (await readdir(folder)).toSorted()[0]!);
  const whole = await readFile(older, 'utf8');
  await writeFile(older, whole.replace('two', 'TWO'));
  await expect(open()).rejects.toMatchObject({
    code: 'corrupt',
    message: expect.stringContaining(`${older} is damaged`),
  });
  expect(await readFile(older, 'utf8')).toContain('TWO');
  await writeFile(older, whole);
  const { found, journal: again } = await open();
  expect(found.map(([, change]) => change)).toEqual(['one', 'two', 'three']);
  await again.close();
});
