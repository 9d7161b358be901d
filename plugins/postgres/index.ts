import { definePlugin } from '../../src/plugin.ts';
import type { ConnectionOptions } from './client.ts';
import { openStore } from './store.ts';

/**
 * A PostgreSQL database, for one or several nodes: `postgres://user:password@host:5432/database`; `postgres` alone uses
 * the variables `PGHOST`, `PGDATABASE` and so on.
 */
export default definePlugin<ConnectionOptions>({
  name: 'postgres',
  contract: 1,
  parse: (location) => ({ url: location === '' ? undefined : checkUrl(location) }),
  open: (options) => openStore(options),
});

/** A parameter of PostgreSQL for several hosts. */
const TARGET = /([?&])target_session_attrs=([^&]*)(?:&|$)/;

/** Throws an Error with what is wrong, without any part of the URL, as it may contain a password. */
function checkUrl(location: string): string {
  if (!/^postgres(?:ql)?:\/\//.test(location)) {
    throw new Error('it must begin with postgres://, as in postgres://USER@HOST:5432/DATABASE');
  }
  try {
    // Several hosts are separated by commas, which only postgres.js accepts in a URL.
    const { username, password, pathname } = new URL(location.replace(/,[^/?@]*(?=[/?]|$)/, ''));
    for (const part of [username, password, pathname]) decodeURIComponent(part);
  } catch {
    throw new Error(
      'it is not a URL such as postgres://USER@HOST:5432/DATABASE; percent-encode special characters in the ' +
        'password: # as %23, % as %25, @ as %40',
    );
  }
  const target = TARGET.exec(location)?.[2];
  if (target !== undefined && target !== 'read-write' && target !== 'primary') {
    throw new Error('target_session_attrs must be read-write, as podsync uses only a primary');
  }
  return location.replace(TARGET, '$1'); // postgres.js takes replicas for primaries
}
