import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { loadStorage } from '../../src/storage/load.ts';
import { storageConformance } from '../../src/testing/index.ts';

const example = join(import.meta.dirname, '../../examples/memory-storage');

storageConformance(
  'a plugin loaded by its path',
  async () => {
    const { plugin, options } = await loadStorage(`./memory-storage.js:${randomUUID()}`, example);
    return { open: (context) => plugin.open(options, context), destroy: async () => undefined };
  },
  { describe, it, beforeEach, afterEach },
);
