import { STATUS_CODES } from 'node:http';
import type { Seconds } from '../domain/types.ts';
import { FetchError, toFetchError } from '../feeds/fetch-error.ts';

interface ErrorDetails {
  /** HTTP status of the response. */
  status?: number;
  /** Whether the connection failed, so that further requests would fail, too. */
  isDisconnected?: boolean;
  /** Whether the same request may succeed later. */
  isTemporary?: boolean;
  /** Minimum time before the next attempt. */
  retryAfter?: Seconds;
}

/** Why a request to another server failed. The message is a sentence without secrets. */
export class RemoteError extends Error implements ErrorDetails {
  readonly status?: number;
  readonly isDisconnected: boolean;
  readonly isTemporary: boolean;
  readonly retryAfter: Seconds;

  constructor(
    message: string,
    { status, isDisconnected = false, isTemporary = isDisconnected, retryAfter = 0 }: ErrorDetails = {},
  ) {
    super(message);
    this.name = 'RemoteError';
    if (status !== undefined) this.status = status;
    this.isDisconnected = isDisconnected;
    this.isTemporary = isTemporary;
    this.retryAfter = retryAfter;
  }
}

/** Whether other requests may still succeed: the password is right, and the server responds. */
export const canContinue = (error: unknown): error is RemoteError =>
  error instanceof RemoteError && error.status !== 401 && !error.isDisconnected;

/** Whether this request will never succeed, though others may. */
export const isPermanentFailure = (error: unknown): error is RemoteError =>
  error instanceof RemoteError && error.status !== 401 && !error.isTemporary;

/** The standard text of status 501. */
const NOT_SUPPORTED = STATUS_CODES[501]!;

/**
 * The error for a status other than 200. `message` is the body, and `retryAfter` the value of the header. A 503 is permanent
 * if its message is that of 501, as oPodSync sends it for what it does not support.
 */
export function toStatusError(
  host: string,
  status: number,
  { message, retryAfter }: { message: string; retryAfter: unknown },
): RemoteError {
  if (status === 401) return new RemoteError(`${host} does not accept this user name and password`, { status });
  const isMissing = status === 501 || (status === 503 && message.toLowerCase().includes(NOT_SUPPORTED.toLowerCase()));
  const meaning = isMissing ? NOT_SUPPORTED : STATUS_CODES[status];
  return new RemoteError(`${host} answered ${status}${meaning ? ` (${meaning})` : ''}`, {
    status,
    isTemporary: status === 429 || (status >= 500 && !isMissing),
    retryAfter: Number(retryAfter) || 0,
  });
}

/** The error for a failed request. It is temporary, unless there was a response that cannot be used. */
export function toRemoteError(host: string, error: unknown, timeout: Seconds): RemoteError {
  if (error instanceof RemoteError) return error;
  const { message } = toFetchError(error, timeout);
  const isTlsError = /^(?:EPROTO$|ERR_SSL_)/.test(`${(error as NodeJS.ErrnoException).code}`);
  const advice = isTlsError ? '; if that server does not support https, use http://' : '';
  return new RemoteError(`${host}: ${message}${advice}`, { isDisconnected: !(error instanceof FetchError) });
}

/** Rethrows an error of the first request to a server, with what a 403 or 404 means there. `what` should be there. */
export const explainStatus =
  (what: string) =>
  (error: unknown): never => {
    const meanings: Record<number, string> = {
      403: 'the user name or password may be wrong, or this user may not sync there',
      404: `there is no ${what} at this address; it may lack a path`,
    };
    const meaning = error instanceof RemoteError && error.status !== undefined && meanings[error.status];
    throw meaning ? new RemoteError(`${error.message}: ${meaning}`) : error;
  };
