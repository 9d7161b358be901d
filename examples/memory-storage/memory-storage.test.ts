import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'vitest';
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
