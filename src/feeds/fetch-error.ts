import type { Seconds } from '../domain/types.ts';

/** Why a fetch failed. The message is a sentence for the operator, without secrets. */
export class FetchError extends Error {
  /** Seconds to wait, if the server asked for it. */
  readonly retryAfter: Seconds | undefined;

  constructor(message: string, retryAfter?: Seconds) {
    super(message);
    this.name = 'FetchError';
    this.retryAfter = retryAfter;
  }
}

/** The connection was refused because the address is not public. */
export class NotPublicError extends FetchError {}

const REASONS: Record<string, string> = {
  ERR_INVALID_URL: 'its address is not valid',
  ENOTFOUND: 'there is no server with this name',
  EAI_AGAIN: 'the name of the server could not be resolved; this may be temporary',
  ECONNREFUSED: 'the server refuses connections',
  EHOSTUNREACH: 'the server cannot be reached',
  ENETUNREACH: 'the server cannot be reached',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the connection was closed',
  ETIMEDOUT: 'the server did not respond in time',
  UND_ERR_CONNECT_TIMEOUT: 'the server did not respond in time',
  UND_ERR_HEADERS_TIMEOUT: 'the server did not respond in time',
  UND_ERR_BODY_TIMEOUT: 'the server stopped sending its response',
  UND_ERR_HEADERS_OVERFLOW: 'the server sends too many headers',
  UND_ERR_DESTROYED: 'podsync is closing',
  EPROTO: 'the encrypted connection failed',
};

/** Maps an error to a message of our own: messages of libraries may contain the URL with its password. */
export function toFetchError(error: unknown, timeout: Seconds): FetchError {
  if (error instanceof FetchError) return error;
  const { name, code = '' } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') {
    return new FetchError(`the server did not send its whole response within ${timeout} seconds`);
  }
  if (/CERT|UNABLE_TO_|SIGNATURE/.test(code)) return new FetchError(`the certificate is not valid (${code})`);
  if (name === 'HTTPParserError') return new FetchError('the server does not speak HTTP');
  return new FetchError(
    REASONS[code.startsWith('ERR_SSL_') ? 'EPROTO' : code] ?? `the connection failed (${code || name})`,
  );
}
