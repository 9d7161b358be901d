import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Seconds, User, UserId } from '../../../src/old-plugin.ts';
import { Account, newContent } from './account.ts';
import { createFolder, remove } from './folder.ts';
import type { Registry } from './registry.ts';

/** See `createUserStore`. */
const USER_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Accounts in memory. Beyond this number only those stay that are needed there. */
const KEPT = 100;

interface AccountsOptions {
  registry: Registry;
  overlap: Seconds;
  /** Whether an account must stay in memory for now. */
  isNeeded(user: UserId, account: Account): boolean;
  /** Called with each account that comes into memory, before anybody else has it. */
  onOpen(user: UserId, account: Account): void;
}

/** The accounts: the folder of each, and in memory those that were opened last. */
export class Accounts {
  readonly #folder: string;
  readonly #options: AccountsOptions;
  readonly #inMemory = new Map<UserId, Account>();
  readonly #opening = new Map<UserId, Promise<Account>>();

  constructor(folder: string, options: AccountsOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Undefined where it is not in memory. */
  get(user: UserId): Account | undefined {
    return this.#inMemory.get(user);
  }

  /** Rejects with `missing` when there is no such user. */
  async open(user: UserId): Promise<Account> {
    const account = this.#inMemory.get(user);
    if (account) return account;
    let opening = this.#opening.get(user);
    if (!opening) {
      opening = this.#open(user).finally(() => this.#opening.delete(user));
      this.#opening.set(user, opening);
    }
    return opening;
  }

  async #open(user: UserId): Promise<Account> {
    const { registry, overlap, isNeeded, onOpen } = this.#options;
    registry.user(user);
    const opening = Account.open(this.#path(user), overlap);
    const account = await opening.finally(() => registry.user(user)); // throws where it was removed while it was read
    onOpen(user, account);
    for (const [idle, other] of this.#inMemory) {
      if (this.#inMemory.size < KEPT) break;
      if (!isNeeded(idle, other)) this.#inMemory.delete(idle);
    }
    this.#inMemory.set(user, account);
    return account;
  }

  /** Visits all accounts, one after the other. One that is removed meanwhile is passed over. */
  async each(visit: (user: UserId, account: Account) => void | Promise<void>): Promise<void> {
    const { users } = this.#options.registry;
    for (const user of users.keys()) {
      const visiting = this.open(user).then((account) => (users.has(user) ? visit(user, account) : undefined));
      await visiting.catch((error) => {
        if (users.has(user)) throw error; // else the files went with the account
      });
    }
  }

  /** The account of a user that the registry has yet to hear of, from the files that are there. */
  async admit({ id }: User): Promise<Account> {
    const account = await Account.open(this.#path(id), this.#options.overlap);
    this.#inMemory.set(id, account);
    return account;
  }

  /** Makes the folder of a user; answers its path. */
  async createFolder(user: UserId): Promise<string> {
    const path = this.#path(user);
    await createFolder(path);
    return path;
  }

  /** Makes the folder and the file of a user who has nothing yet, unless there are any. */
  async create({ id, createdAt }: User): Promise<void> {
    const folder = await this.createFolder(id);
    const names = await readdir(folder);
    if (names.length === 0) await Account.write(folder, newContent(createdAt));
  }

  /** Lets go of an account; answers it where it was in memory. */
  forget(user: UserId): Account | undefined {
    const account = this.#inMemory.get(user);
    this.#inMemory.delete(user);
    return account;
  }

  forgetAll(): void {
    this.#inMemory.clear();
  }

  async removeFolder(user: UserId): Promise<void> {
    await remove(this.#path(user));
  }

  /** Removes what is left of an account that was removed, or never came. Rejects with `corrupt` where it is none of these. */
  async removeStray(user: UserId): Promise<void> {
    const path = this.#path(user);
    this.#options.registry.requireNewerThan(await Account.newestChangeIn(path), path);
    await remove(path);
  }

  async removeFolders(): Promise<void> {
    await remove(this.#folder);
  }

  /** Users who have a folder, and are not in the registry. What else lies there is not podsync's. */
  async strays(): Promise<UserId[]> {
    const names = (await readdir(this.#folder).catch(() => [])) as UserId[];
    return names.filter((name) => USER_ID.test(name) && !this.#options.registry.users.has(name));
  }

  #path(user: UserId): string {
    return join(this.#folder, user);
  }
}
