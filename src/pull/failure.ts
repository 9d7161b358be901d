import { STATUS_CODES } from 'node:http';
import type { Seconds } from '../domain/types.ts';
import { FetchError, toFetchError } from '../feeds/failure.ts';

interface Circumstances {
  /** HTTP status of the answer. */
  status?: number;
  /** Whether there was no answer, and none is to be expected to the next question. */
  isLost?: boolean;
  /** Whether the same question may be answered in a while. */
  isPassing?: boolean;
  /** How long to wait for that at least. */
  retryAfter?: Seconds;
}

/** Why another server did not give something. The message is a sentence that holds no secrets. */
export class RemoteError extends Error implements Circumstances {
  readonly status?: number;
  readonly isLost: boolean;
  readonly isPassing: boolean;
  readonly retryAfter: Seconds;

  constructor(message: string, { status, isLost = false, isPassing = isLost, retryAfter = 0 }: Circumstances = {}) {
    super(message);
    this.name = 'RemoteError';
    if (status !== undefined) this.status = status;
    this.isLost = isLost;
    this.isPassing = isPassing;
    this.retryAfter = retryAfter;
  }
}

/** Whether another question may well be answered: the password is right, and the server is there. */
export const mayGoOn = (error: unknown): error is RemoteError =>
  error instanceof RemoteError && error.status !== 401 && !error.isLost;

/** Whether the server does not give this, now or later, and may well give other things. */
export const isRefusal = (error: unknown): error is RemoteError =>
  error instanceof RemoteError && error.status !== 401 && !error.isPassing;

/** What an answer other than 200 means. `retryAfter` as the header has it. */
export function refusedBy(host: string, status: number, retryAfter: unknown): RemoteError {
  if (status === 401) return new RemoteError(`${host} does not take this user name with this password`, { status });
  const meaning = STATUS_CODES[status];
  return new RemoteError(`${host} answered ${status}${meaning ? ` (${meaning})` : ''}`, {
    status,
    isPassing: status === 429 || (status >= 500 && status !== 501),
    retryAfter: Number(retryAfter) || 0,
  });
}

/** What went wrong on the way. That may pass, unless an answer came and cannot be used. */
export function failedBy(host: string, error: unknown, timeout: Seconds): RemoteError {
  if (error instanceof RemoteError) return error;
  const { message } = toFetchError(error, timeout);
  const isPlain = /^(?:EPROTO$|ERR_SSL_)/.test(`${(error as NodeJS.ErrnoException).code}`);
  const advice = isPlain ? '; where that server has no https, name it with http://' : '';
  return new RemoteError(`${host}: ${message}${advice}`, { isLost: !(error instanceof FetchError) });
}
