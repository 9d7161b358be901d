import { type ErrorMeanings, explainError, type StorageError } from '../../src/plugin.ts';

/** By error code: SQLSTATE, `REPLICA`, or a code of postgres.js, the network or TLS. The first match is used. */
const MEANINGS: ErrorMeanings = [
  [/^53100$/, 'full', 'has no space left on its disk; free some space and try again'],
  [/^53...$/, 'unavailable', 'is overloaded or has no free connection; increase its max_connections or memory'],
  [/^40(?:001|P01)$/, 'busy', 'rolled back the transaction too often because of others; try again'],
  [/^28...$/, 'unavailable', 'refuses this user; check the user and the password in --storage'],
  [/^3D...$/, 'unavailable', 'has no database with this name; create it, or check the name in --storage'],
  [/^42704$/, 'unavailable', 'does not know a parameter after the ? in --storage; remove it'],
  [/^3F000$/, 'unavailable', 'has no schema for the tables; create the one in search_path, or remove search_path'],
  [/^42501$/, 'unavailable', 'does not allow this user to create or use the tables; make it the owner of the database'],
  [/^42(?:P01|601|703|883)$/, 'corrupt', 'lacks a table or function of podsync, or has a wrong one; restore a backup'],
  [/^REPLICA$/, 'unavailable', 'is a replica; podsync waits for a primary: name it, or all servers, in --storage'],
  [/^25006$/, 'unavailable', 'is read-only, probably a replica; use its primary in --storage'],
  [/^XX00.$/, 'corrupt', 'reports damaged files; check its log'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'unavailable', 'has a certificate for another host; check the host in --storage'],
  [/^CERT_HAS_EXPIRED$/, 'unavailable', 'has an expired certificate; renew it'],
  [/CERT|^ERR_(?:TLS|SSL)|^UNABLE_TO/, 'unavailable', 'has no trusted certificate; name its CA in NODE_EXTRA_CA_CERTS'],
  [/^ECONNRESET$/, 'unavailable', 'closed the connection; try again, and if sslmode is set, check that it offers TLS'],
  [/^57|^25P03$|^08|^CONNECT/, 'unavailable', 'is stopping, does not answer, or cancelled the statement; try again'],
  [/^E(?!RR_)[A-Z_]+$/, 'unavailable', 'cannot be reached; check that it runs, and its host and port in --storage'],
  [/(?:)/, 'unavailable', 'failed; check its log'],
];

/** Converts an error of PostgreSQL or the network to a StorageError. */
export const toStorageError = (error: unknown): StorageError =>
  explainError(error, 'PostgreSQL', (error as { code?: string }).code ?? 'no code', MEANINGS);
