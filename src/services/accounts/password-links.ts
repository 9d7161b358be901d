import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { Refusal } from '../../domain/errors.ts';
import { isSameSecret } from '../../domain/secret.ts';
import type { Seconds } from '../../domain/types.ts';
import type { Storage, User } from '../../storage/stores.ts';
import { checkEmail, checkUserName, refuseConflict, requireUser } from './accounts.ts';
import { createInvitedHash, isInvited, type Passwords } from './passwords.ts';

/** How long a link works. */
const LIFE: Seconds = 86_400;

/** Name of an account whose owner chooses another one with the link. */
const UNNAMED = /^invited-[0-9a-f]{8}$/;

/**
 * One-time links for choosing a password, so that the operator never has to know it. A link is signed with the hash of
 * the password that it replaces: it needs no storage, works on every node, and stops working once it is used. Anyone with a
 * backup knows the hash, but cannot sign a link without the id of the user, which no response contains.
 */
export interface PasswordLinks {
  /** Token of a link for an account. Throws as `requireUser` does. */
  reset(login: string): Promise<string>;
  /**
   * Creates an account without a password and returns the token of its link; without a `name`, the owner chooses one.
   * Throws `invalid` and `conflict` as creating an account does.
   */
  invite(account: { name?: string; email?: string }): Promise<{ name: string; token: string }>;
  /**
   * The account of a link's token, and whether its owner was invited and has no password yet. Throws `missing` for a link
   * that has expired, was used, or never existed.
   */
  find(token: string): Promise<{ user: User; isInvited: boolean; isUnnamed: boolean }>;
  /** Sets the password, and the name if the account has none yet. Throws as `find` does, `invalid` and `conflict`. */
  use(token: string, chosen: { name?: string; password: string }): Promise<User>;
}

export function createPasswordLinks(
  { users }: Pick<Storage, 'users'>,
  passwords: Pick<Passwords, 'hash'>,
  now: Clock,
): PasswordLinks {
  const issue = (user: User): string => {
    const expires = (now() + LIFE).toString(36);
    return [Buffer.from(user.name).toString('base64url'), expires, sign(user, expires)].join('.');
  };

  const find: PasswordLinks['find'] = async (token) => {
    const [name = '', expires = '', signature = ''] = token.split('.');
    const user = await users.find(Buffer.from(name, 'base64url').toString());
    const isValid = user !== undefined && isSameSecret(signature, sign(user, expires)) && parseInt(expires, 36) > now();
    if (!isValid) throw new Refusal('missing', 'this link has expired or has already been used; ask for a new one');
    return { user, isInvited: isInvited(user), isUnnamed: UNNAMED.test(user.name) };
  };

  return {
    find,

    reset: async (login) => issue(await requireUser(users, login)),

    async invite({ name = `invited-${randomBytes(4).toString('hex')}`, email }) {
      checkUserName(name);
      if (email !== undefined) checkEmail(email);
      const account = { name, ...(email !== undefined && { email }), passwordHash: createInvitedHash() };
      const user = await users.create(account).catch(refuseConflict);
      return { name, token: issue(user) };
    },

    async use(token, { name, password }) {
      const { user, isUnnamed } = await find(token);
      const passwordHash = await passwords.hash(password);
      const renamed = isUnnamed && name !== undefined ? name : user.name;
      checkUserName(renamed);
      // In one step: the link would not work any more after the first of two.
      await users.update(user.id, { name: renamed, passwordHash }).catch(refuseConflict);
      return { ...user, name: renamed, passwordHash };
    },
  };
}

const sign = ({ id, passwordHash }: User, expires: string): string =>
  createHmac('sha256', passwordHash).update(`${id} ${expires}`).digest('base64url');
