import { definePlugin } from '../../src/plugin.ts';
import type { ConnectionOptions } from './connection.ts';
import { parseLocation } from './location.ts';
import { openStore } from './store.ts';

/**
 * A PostgreSQL database, for one or several nodes: `postgres://user:password@host:5432/database`; `postgres` alone uses
 * the variables `PGHOST`, `PGDATABASE` and so on.
 */
export default definePlugin<ConnectionOptions>({
  name: 'postgres',
  contract: 1,
  parse: (location) => ({ url: parseLocation(location) }),
  open: (options) => openStore(options),
});
