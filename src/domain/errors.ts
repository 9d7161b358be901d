/**
 * What a request can be refused for. The domain and the services throw it, and `http/errors` makes a status of it, unless
 * somebody nearer answers in another way: a form, or a batch that names the item.
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
  /** Seconds after which trying again makes sense, where that is known. */
  readonly retryAfter: number | undefined;

  /** `message` is one sentence that a person can act on. To apps it never repeats what they sent. */
  constructor(code: RefusalCode, message: string, retryAfter?: number) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** Shorthand for the commonest refusal: input that does not fit. */
export const invalid = (message: string): Refusal => new Refusal('invalid', message);
