import { type FileHandle, open, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createFolder } from '../src/durable-files.ts';
import { makeFolder } from './folder.ts';

it('several calls may create the same folders at the same time', async () => {
  const root = await makeFolder();
  for (let round = 0; round < 100; round += 1) {
    const parent = join(root, String(round));
    const paths = ['a', 'b/c', 'b/d', 'b'].map((name) => join(parent, name));
    const created = await Promise.all([...paths, ...paths].map((path) => createFolder(path)));
    expect(created).toContain(parent);
    for (const path of paths) expect((await stat(path)).mode & 0o777).toBe(0o700);
  }
});

it('a power failure does not remove a new folder, nor the parents that were created with it', async () => {
  const root = await makeFolder();
  const synced: number[] = [];
  const folder = await open(root);
  const sync = vi.spyOn(Object.getPrototypeOf(folder) as FileHandle, 'sync');
  onTestFinished(() => sync.mockRestore());
  await folder.close();
  sync.mockImplementation(async function (this: FileHandle) {
    synced.push((await this.stat()).ino);
  });
  await createFolder(join(root, 'a/b/c'));
  for (const parent of ['', 'a', 'a/b']) expect(synced).toContain((await stat(join(root, parent))).ino);
});

it('a folder is created on a system that cannot sync folders', async () => {
  const root = await makeFolder();
  const folder = await open(root);
  const sync = vi.spyOn(Object.getPrototypeOf(folder) as FileHandle, 'sync').mockRejectedValue(new Error('EPERM'));
  onTestFinished(() => sync.mockRestore());
  await folder.close();
  expect(await createFolder(join(root, 'a/b'))).toBe(join(root, 'a'));
});

it('a file in place of a folder, or of its parent, is an error', async () => {
  const file = join(await makeFolder(), 'file');
  await writeFile(file, '');
  await expect(createFolder(file)).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(createFolder(join(file, 'folder'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});
