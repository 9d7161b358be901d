import { afterEach, beforeEach, describe, it } from 'vitest';
import { storageConformance } from '../../../src/testing/index.ts';
import clocked from './clocked.ts';
import { createTestDatabase } from './database.ts';

storageConformance(
  'postgres',
  async () => {
    const { url, destroy } = await createTestDatabase();
    return { open: (context) => clocked.open(clocked.parse(url), context), destroy };
  },
  { describe, it, beforeEach, afterEach },
);
