/**
 * Why a request is refused. The domain and the services throw it, and `http/errors` maps it to a status, unless a
 * caller handles it before: a form, or a batch that names the item.
 */
export type RefusalCode =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'too-large'
  | 'throttled'
  | 'busy';

export class Refusal extends Error {
  readonly code: RefusalCode;
  /** Seconds to wait before another attempt, if known. */
  readonly retryAfter: number | undefined;

  /** `message` is one sentence that says what to do. It never repeats what an app sent. */
  constructor(code: RefusalCode, message: string, retryAfter?: number) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** Shorthand for the most common refusal: invalid input. */
export const invalid = (message: string): Refusal => new Refusal('invalid', message);
