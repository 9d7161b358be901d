import { afterEach, beforeEach, describe, it } from 'vitest';
import { storageConformance } from '../../../storage/suite/index.ts';
import clocked from './clocked.ts';
import { createTestDatabase } from '../../../postgres/database.ts';

storageConformance(
  'postgres',
  async () => {
    const { url, destroy } = await createTestDatabase();
    return { open: (context) => clocked.open(clocked.parse(url), context), destroy };
  },
  { describe, it, beforeEach, afterEach },
);
