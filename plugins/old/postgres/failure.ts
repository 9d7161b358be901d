import { isStorageError, StorageError, type StorageErrorCode } from '../../../src/old-plugin.ts';
import { noSuchAccount } from '../errors.ts';

/** SQLSTATE of a row that hangs from one that is gone: an account, or for a toplist a podcast, which is then another. */
const FOREIGN_KEY_VIOLATION = '23503';

/** By the code of an error: SQLSTATE, or that of postgres.js, of the network or of TLS. The first that fits counts. */
const MEANINGS: readonly (readonly [RegExp, StorageErrorCode, string])[] = [
  [/^53100$/, 'full', 'has no room left on its disk; free some space and try again'],
  [/^53...$/, 'unavailable', 'has too much to do, or lets nobody else in; raise its max_connections, or its memory'],
  [/^40...$/, 'busy', 'gave way to others too often; try again'],
  [/^28...$/, 'unavailable', 'does not let this user in; check the user and the password in --storage'],
  [/^3D...$/, 'unavailable', 'has no database of this name; create it, or check the name in --storage'],
  [/^42704$/, 'unavailable', 'does not know a parameter that stands after the ? in --storage; take it out'],
  [/^3F000$/, 'unavailable', 'has no schema for the tables; create the one that search_path names, or leave that out'],
  [/^42501$/, 'unavailable', 'does not let this user create or use the tables; make it the owner of the database'],
  [/^25006$/, 'unavailable', 'takes no writes: it is a copy of another one; name that one in --storage'],
  [/^57014$|^55P03$/, 'unavailable', 'gave up a statement: somebody cancelled it, or its time was over; try again'],
  [/^57P..$/, 'unavailable', 'is starting or stopping; it will be asked again'],
  [/^25P03$|^08...$/, 'unavailable', 'broke the connection; it will be asked again'],
  [/^58...$/, 'unavailable', 'cannot read or write its files; its log tells more'],
  [/^XX00.$/, 'corrupt', 'finds its files damaged; its log tells more'],
  [/^CONNECT/, 'unavailable', 'broke the connection, or did not answer; it will be asked again'],
  [
    /CERT|^ERR_(?:TLS|SSL)|^UNABLE_TO/,
    'unavailable',
    'has a certificate that is not trusted; check sslmode in --storage',
  ],
  [
    /^ECONNRESET$/,
    'unavailable',
    'broke the connection; it will be asked again. Where it never answers, check its port and sslmode in --storage',
  ],
  [
    /^E(?!RR_)[A-Z_]+$/,
    'unavailable',
    'cannot be reached; check that it runs, and its host and port in --storage, or in PGHOST and PGPORT',
  ],
];

/** What PostgreSQL or the network answered, in the words of the storage contract. Any other error is a fault of podsync. */
export function toStorageError(error: unknown): Error {
  const { code } = error as { code?: unknown };
  if (isStorageError(error) || typeof code !== 'string') return error as Error;
  if (code === FOREIGN_KEY_VIOLATION) return noSuchAccount();
  const meaning = MEANINGS.find(([pattern]) => pattern.test(code));
  // The message of the cause may name user and host, so it is not repeated.
  return meaning
    ? new StorageError(meaning[1], `PostgreSQL ${meaning[2]} (${code})`, { cause: error })
    : (error as Error);
}

/**
 * Whether a transaction gave way to others, so that it may be run once more: a deadlock, a conflict of snapshots, or a
 * toplist whose podcast turned out to be another one meanwhile.
 */
export const isGivenWay = (error: unknown): boolean => {
  const { code, table_name } = error as { code?: unknown; table_name?: unknown };
  return code === '40001' || code === '40P01' || (code === FOREIGN_KEY_VIOLATION && table_name === 'toplists');
};
