import { definePlugin } from '../../src/plugin.ts';
import type { ConnectionOptions } from './connection.ts';
import { parseLocation } from './location.ts';
import { openStore } from './store.ts';

/**
 * One PostgreSQL database, for one node or for several: `postgres://user:password@host:5432/database`; `postgres` alone
 * takes what the variables `PGHOST`, `PGDATABASE` and the like say.
 */
export default definePlugin<ConnectionOptions>({
  name: 'postgres',
  contract: 1,
  parse: (location) => ({ url: parseLocation(location) }),
  open: (options) => openStore(options),
});
