import { storageConformance } from 'podsync/testing';
import { afterEach, beforeEach, describe, it } from 'vitest'; // or 'node:test'
import plugin from './memory-storage.js';

let count = 0;
storageConformance(
  'memory',
  async () => {
    const options = plugin.parse(`test ${(count += 1)}`); // an empty backend for each test
    return {
      open: (context) => plugin.open(options, context), // again after close(): everything must still exist
      destroy: async () => {}, // drop the database, say
    };
  },
  { describe, it, beforeEach, afterEach },
);
