import { afterEach, beforeEach, describe, it } from 'vitest';
import postgres from '../../../plugins/postgres/index.ts';
import { storageConformance } from '../../../src/testing/index.ts';
import { createTestDatabase } from '../../postgres/database.ts';

storageConformance(
  'postgres',
  async () => {
    const { url, destroy } = await createTestDatabase();
    return { open: (context) => postgres.open(postgres.parse(url), context), destroy };
  },
  { describe, it, beforeEach, afterEach },
);
