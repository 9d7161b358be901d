import type { Seconds } from '../domain/types.ts';

/** Why something was not fetched. The message is a sentence for whoever runs the server; it holds no secrets. */
export class FetchError extends Error {
  /** Seconds to wait, where the server asked for it. */
  readonly retryAfter: Seconds | undefined;

  constructor(message: string, retryAfter?: Seconds) {
    super(message);
    this.name = 'FetchError';
    this.retryAfter = retryAfter;
  }
}

/** It was not connected to, as it is not at a public address. */
export class NotPublicError extends FetchError {}

const REASONS: Record<string, string> = {
  ERR_INVALID_URL: 'its address is not a valid one',
  ENOTFOUND: 'there is no server of that name',
  EAI_AGAIN: 'the name of the server could not be looked up just now',
  ECONNREFUSED: 'the server refuses connections',
  EHOSTUNREACH: 'the server cannot be reached',
  ENETUNREACH: 'the server cannot be reached',
  ECONNRESET: 'the connection broke off',
  EPIPE: 'the connection broke off',
  UND_ERR_SOCKET: 'the connection broke off',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the connection broke off',
  UND_ERR_HEADERS_OVERFLOW: 'the server sends too many headers',
  UND_ERR_DESTROYED: 'podsync is closing',
  EPROTO: 'no encrypted connection came about',
};

/** What went wrong while fetching, in our own words: those of a library may hold the URL with its password. */
export function toFetchError(error: unknown, timeout: Seconds): FetchError {
  if (error instanceof FetchError) return error;
  const { name, code = '' } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new FetchError(`the server did not answer in full within ${timeout} seconds`);
  }
  if (/CERT|UNABLE_TO_|SIGNATURE/.test(code)) return new FetchError(`the certificate is not valid (${code})`);
  if (name === 'HTTPParserError') return new FetchError('the server does not answer as a web server does');
  return new FetchError(
    REASONS[code.startsWith('ERR_SSL_') ? 'EPROTO' : code] ?? `the connection failed (${code || name})`,
  );
}
