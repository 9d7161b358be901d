import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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

it('a file in place of a folder, or of its parent, is an error', async () => {
  const file = join(await makeFolder(), 'file');
  await writeFile(file, '');
  await expect(createFolder(file)).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(createFolder(join(file, 'folder'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});
