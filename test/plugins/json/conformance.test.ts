import { afterEach, beforeEach, describe, it } from 'vitest';
import json from '../../../plugins/json/index.ts';
import { storageConformance } from '../../../src/testing/index.ts';

storageConformance(
  'json',
  async () => ({ open: (context) => json.open(json.parse(''), context), destroy: async () => undefined }),
  { describe, it, beforeEach, afterEach },
);
