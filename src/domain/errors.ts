/**
 * What a request can be refused for. The domain and the services throw it, and `http/errors` makes a status of it; only
 * routes that answer in another way, such as the form of `/register`, read it before.
 */
export type RefusalCode =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'too-large'
  | 'throttled';

export class Refusal extends Error {
  readonly code: RefusalCode;
  /** Seconds after which trying again makes sense, where that is known. */
  readonly retryAfter: number | undefined;

  /** `message` is one sentence that a person can act on. It never repeats what the client sent. */
  constructor(code: RefusalCode, message: string, retryAfter?: number) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** Shorthand for the commonest refusal: input that does not fit. */
export const invalid = (message: string): Refusal => new Refusal('invalid', message);
