import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadStorage } from '../../src/storage/load.ts';
import { storageConformance } from '../../src/testing/index.ts';

storageConformance(
  'memory',
  async () => {
    const { plugin, options } = await loadStorage(`./memory-storage.js:${randomUUID()}`, import.meta.dirname);
    return { open: (context) => plugin.open(options, context), destroy: async () => undefined };
  },
  { describe, it, beforeEach, afterEach },
);

it.each(['../..', '.'])('is loaded as README.md tells in %s', async (folder) => {
  const place = join(import.meta.dirname, folder);
  const text = await readFile(join(place, 'README.md'), 'utf8');
  const [, spec] = /--storage (\S*memory-storage\.js\S*)/.exec(text)!;
  const { options } = await loadStorage(spec!, place);
  expect(options).toEqual({ place: 'demo' });
});
