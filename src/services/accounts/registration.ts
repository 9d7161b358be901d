import { randomBytes } from 'node:crypto';
import { invalid, Refusal } from '../../domain/errors.ts';
import { isShortPassword, MIN_PASSWORD } from '../../domain/password.ts';
import type { RegistrationMode } from '../../options.ts';
import type { User } from '../../storage/stores.ts';
import { type Accounts, checkEmail, checkUserName, type NewAccount } from './accounts.ts';
import { checkPassword } from './passwords.ts';
import type { Throttle } from './throttle.ts';

export interface Registration {
  /** Whether this visitor may create an account. `token` comes from the link of `firstAccountToken`. */
  isOpen(token: string | undefined): Promise<boolean>;
  /** Whether there is no account yet, and only the operator can create the first one. */
  isNew(): Promise<boolean>;
  /** The problems with the fields of a new account that can be found before it is created. */
  problems(account: NewAccount): Partial<Record<'name' | 'email' | 'password', string>>;
  /**
   * Throws `forbidden` if registration is closed, `throttled` after many accounts from one address if it is open to
   * anybody, `invalid` also for a password of fewer than 8 characters, otherwise as `Accounts.create` does.
   */
  register(account: NewAccount, token: string | undefined, address: string): Promise<User>;
  /** A token that opens registration once, for the very first account; undefined if any account exists. */
  firstAccountToken(): Promise<string | undefined>;
}

export function createRegistration(accounts: Accounts, throttle: Throttle, mode: RegistrationMode): Registration {
  /** Set once an account was found, so that later pages read nothing. */
  let hasAccounts = false;
  /** Valid only in this process, and only until it is used. */
  let firstToken: string | undefined;
  // An account may have been created since then in another way, or with the link of another node.
  const isFirst = async (token: string | undefined): Promise<boolean> =>
    token !== undefined && token === firstToken && !(await accounts.hasAny());
  const isOpen = async (token: string | undefined): Promise<boolean> => mode === 'open' || isFirst(token);

  return {
    isOpen,
    isNew: async () => mode === 'closed' && !(hasAccounts ||= await accounts.hasAny()),
    problems: problemsOf,

    async register(account, token, address) {
      if (mode === 'open') {
        checkRegistration(account); // an invalid form does not count
        await throttle.countRegistration(address);
        return accounts.create(account);
      }
      // Checked again after the wait: another request may have used the link meanwhile.
      if (!(await isFirst(token)) || token !== firstToken) throw closed();
      checkRegistration(account);
      firstToken = undefined; // before anything waits: two simultaneous requests create one account
      try {
        return await accounts.create(account);
      } catch (error) {
        firstToken = token;
        throw error;
      }
    },

    async firstAccountToken() {
      if (await accounts.hasAny()) return undefined;
      firstToken ??= randomBytes(24).toString('base64url');
      return firstToken;
    },
  };
}

function checkRegistration(account: NewAccount): void {
  const [problem] = Object.values(problemsOf(account));
  if (problem !== undefined) throw invalid(problem);
}

const problemsOf: Registration['problems'] = ({ name, email, password }) => {
  const problems = {
    name: problemOf(() => checkUserName(name)),
    email: problemOf(() => email !== undefined && checkEmail(email)),
    password: problemOf(() => {
      checkPassword(password);
      if (isShortPassword(password)) throw invalid(`the password has fewer than ${MIN_PASSWORD} characters`);
    }),
  };
  return Object.fromEntries(Object.entries(problems).filter(([, problem]) => problem !== undefined));
};

function problemOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

const closed = (): Refusal =>
  new Refusal('forbidden', 'registration is closed; ask the administrator of this server for an account');
