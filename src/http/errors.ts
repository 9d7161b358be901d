import { Refusal, type RefusalCode } from '../domain/errors.ts';
import { MEDIA_TYPES } from '../formats/format.ts';
import { isStorageError, type StorageErrorCode } from '../storage/errors.ts';
import type { Log } from '../storage/stores.ts';
import type { Reply } from './reply.ts';

const REFUSALS: Record<RefusalCode, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  conflict: 409,
  'too-large': 413,
  throttled: 429,
  busy: 503,
};
const STORAGE: Record<StorageErrorCode, number> = {
  conflict: 409,
  missing: 404,
  busy: 503,
  corrupt: 503,
  unavailable: 503,
  full: 507,
};
/** What clients receive for storage errors: no paths, no file names. */
const STORAGE_MESSAGES: Partial<Record<StorageErrorCode, string>> = {
  busy: 'the storage is busy; try again in a while',
  corrupt: 'stored data cannot be read; the administrator of this server finds details in its log',
  unavailable: 'the storage is not available right now; try again in a while',
  full: 'the server has no space left; no part of this request was stored',
};
/** Seconds after which a client may try again. */
const STORAGE_RETRY_AFTER = 30;
const CHALLENGE = 'Basic realm="podsync", charset="UTF-8"';

interface ErrorContext {
  log: Log;
  /** Whether the request comes from the operator. */
  operator?: boolean;
}

/** An error response: plain text if the path asks for a list as text or XML, otherwise JSON. */
export function errorReply(
  status: number,
  message: string,
  format: string,
  headers: Record<string, string> = {},
): Reply {
  const isText = format === 'txt' || format === 'opml' || format === 'xml';
  return {
    status,
    error: message,
    type: isText ? MEDIA_TYPES.txt : MEDIA_TYPES.json,
    body: isText ? `${message}\n` : JSON.stringify({ code: status, message }),
    headers,
  };
}

/**
 * The one place that turns errors into statuses. An unexpected error is a 500, and its stack goes to the log. Only the
 * operator receives the details of a storage error; for everybody else they go to the log.
 */
export function toErrorReply(error: unknown, format: string, { log, operator = false }: ErrorContext): Reply {
  if (error instanceof Refusal) {
    return errorReply(REFUSALS[error.code], error.message, format, {
      ...(error.code === 'unauthenticated' && { 'www-authenticate': CHALLENGE }),
      ...(error.retryAfter !== undefined && { 'retry-after': String(error.retryAfter) }),
    });
  }
  if (isStorageError(error)) {
    const status = STORAGE[error.code];
    if (status >= 500 && !operator) log('error', error.message);
    const headers = status === 503 ? { 'retry-after': String(STORAGE_RETRY_AFTER) } : {};
    const message = operator ? undefined : STORAGE_MESSAGES[error.code];
    return errorReply(status, message ?? error.message, format, headers);
  }
  log('error', `a request failed for a reason that podsync did not expect: ${describe(error)}`);
  return errorReply(
    500,
    'something went wrong here; the administrator of this server finds details in its log',
    format,
  );
}

/** For a response that failed after a part of it was sent: only the log can give the reason. */
export function logAbortedReply(error: unknown, { log }: ErrorContext): void {
  if (isStorageError(error, 'missing')) return; // the account was deleted meanwhile
  log('error', `a response was cut off: ${isStorageError(error) ? error.message : describe(error)}`);
}

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
