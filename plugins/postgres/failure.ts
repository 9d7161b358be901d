import { isStorageError, StorageError, type StorageErrorCode } from '../../src/plugin.ts';

/** By the code of an error: SQLSTATE, or that of postgres.js, of the network or of TLS. The first that fits counts. */
const MEANINGS: readonly (readonly [RegExp, StorageErrorCode, string])[] = [
  [/^53100$/, 'full', 'has no room left on its disk; free some space and try again'],
  [/^53...$/, 'unavailable', 'is overloaded, or accepts no more connections; raise its max_connections, or its memory'],
  [/^40...$/, 'busy', 'gave way to other transactions too often; try again'],
  [/^28...$/, 'unavailable', 'does not let this user in; check the user and the password in --storage'],
  [/^3D...$/, 'unavailable', 'has no database of this name; create it, or check the name in --storage'],
  [/^42704$/, 'unavailable', 'does not know a parameter after the ? in --storage; remove it'],
  [/^3F000$/, 'unavailable', 'has no schema for the tables; create the one that search_path names, or leave that out'],
  [/^42501$/, 'unavailable', 'does not let this user create or use the tables; make it the owner of the database'],
  [/^42(?:P01|601|703|883)$/, 'corrupt', 'lacks a table or function of podsync, or has another one; restore a backup'],
  [/^22...$/, 'corrupt', 'holds a value that is no whole number where one is added to'],
  [/^25006$/, 'unavailable', 'is read-only: a copy of another server, most likely; name that one in --storage'],
  [/^57014$|^55P03$/, 'unavailable', 'gave up a statement: it was cancelled, or took too long; try again'],
  [/^57P..$/, 'unavailable', 'is starting or stopping; podsync will try again'],
  [/^25P03$|^08...$/, 'unavailable', 'broke the connection; podsync will try again'],
  [/^58...$/, 'unavailable', 'cannot read or write its files; see its log'],
  [/^XX00.$/, 'corrupt', 'finds its files damaged; see its log'],
  [/^CONNECT/, 'unavailable', 'broke the connection, or did not answer; podsync will try again'],
  [
    /CERT|^ERR_(?:TLS|SSL)|^UNABLE_TO/,
    'unavailable',
    'has a certificate that is not trusted; check sslmode in --storage',
  ],
  [
    /^ECONNRESET$/,
    'unavailable',
    'broke the connection; podsync will try again. If it never answers, check its port and sslmode in --storage',
  ],
  [
    /^E(?!RR_)[A-Z_]+$/,
    'unavailable',
    'cannot be reached; check that it runs, and its host and port in --storage, or in PGHOST and PGPORT',
  ],
  [/(?:)/, 'unavailable', 'failed; see its log'],
];

/** What PostgreSQL or the network reported, as a StorageError. */
export function toStorageError(error: unknown): StorageError {
  if (isStorageError(error)) return error;
  const { code = 'no code' } = error as { code?: string };
  const [, meaning, text] = MEANINGS.find(([pattern]) => pattern.test(code))!;
  // The message of the cause may name user and host, so it is not repeated.
  return new StorageError(meaning, `PostgreSQL ${text} (${code})`, { cause: error });
}

/** Whether a transaction gave way to others, a deadlock say: it is not stored, and may be run once more. */
export const isSerializationFailure = (error: unknown): boolean => {
  const { code } = error as { code?: unknown };
  return code === '40001' || code === '40P01';
};
