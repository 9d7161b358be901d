import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { createLogoCache } from '../../src/services/directory/logo-cache.ts';
import { makeFolder } from '../folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await makeFolder();
});

it('deletes the oldest files when it is full', async () => {
  const logos = createLogoCache(join(folder, 'new'), 10);
  for (const name of ['a', 'b', 'a', 'c']) await logos.write(name, Buffer.alloc(4, name));
  expect((await readdir(join(folder, 'new'))).toSorted()).toEqual(['a', 'c']);
  expect((await logos.read('a'))?.toString()).toBe('aaaa');
  expect(await logos.read('b')).toBeUndefined();
});

it('uses the files of an earlier process', async () => {
  await createLogoCache(folder, 10).write('a', Buffer.alloc(8));
  await createLogoCache(folder, 10).write('b', Buffer.alloc(8));
  expect(await readdir(folder)).toEqual(['b']);
});

it('keeps a file larger than the limit until the next one is written', async () => {
  const logos = createLogoCache(folder, 10);
  await logos.write('a', Buffer.alloc(20));
  expect(await readdir(folder)).toEqual(['a']);
  await logos.write('b', Buffer.alloc(4));
  expect(await readdir(folder)).toEqual(['b']);
});

it('works again once the folder is writable', async () => {
  const place = join(folder, 'logos');
  await writeFile(place, 'in the way');
  const logos = createLogoCache(place);
  await expect(logos.write('a', Buffer.alloc(4))).rejects.toThrow('EEXIST');
  await rm(place);
  await logos.write('a', Buffer.alloc(4));
  expect(await readdir(place)).toEqual(['a']);
});
