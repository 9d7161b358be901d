import { afterEach, beforeEach, describe, it } from 'vitest';
import sqlite from '../../../plugins/sqlite/index.ts';
import { storageConformance } from '../../../src/testing/index.ts';

storageConformance(
  'sqlite',
  async () => ({ open: (context) => sqlite.open(sqlite.parse(''), context), destroy: async () => undefined }),
  { describe, it, beforeEach, afterEach },
);
