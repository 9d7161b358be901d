import { afterEach, beforeEach, describe, it, vi } from 'vitest';
import json from '../../../plugins/json/index.ts';
import { storageConformance } from '../../../src/testing/index.ts';
import { useFastTime } from '../../event-loop.ts';

// A checkpoint every few commits, many files, and hardly any entries in memory.
vi.mock(import('../../../plugins/json/limits.ts'), () => ({
  MAX_LOG_SIZE: 50_000,
  MAX_CHANGES: 1000,
  MAX_BACKLOG: 1000,
  MAX_FILE_SIZE: 300_000,
  CACHE_SIZE: 600_000,
}));

// A batch of 60 keys takes several time slices.
beforeEach(useFastTime);

storageConformance(
  'json with files that are split, written and read again all the time',
  async () => ({ open: (context) => json.open(json.parse(''), context), destroy: async () => undefined }),
  { describe, it, beforeEach, afterEach },
);
