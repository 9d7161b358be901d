import { join } from 'node:path';
import {
  type StorageContext,
  type Stamp,
  StorageError,
  Turns,
  type Url,
  type UserId,
} from '../../../src/old-plugin.ts';
import type { Account } from './account.ts';
import { feedsIn, feedsOf, type UploadChange } from './account-write.ts';
import { Accounts } from './accounts.ts';
import { Acted } from './acted.ts';
import { Directory, type DirectoryChange } from './directory.ts';
import { createFolder, toStorageError } from './folder.ts';
import { Journal } from './journal.ts';
import { takeLock } from './lock.ts';
import { Registry } from './registry.ts';
import { Shelves } from './shelves.ts';
import { Unsaved } from './unsaved.ts';
import { type Write, WRITE_PACKING } from './write.ts';

/** What is read when the folder is opened. */
type Parts = Pick<Database, 'registry' | 'directory'>;

/** Writes of one user, of the registry or of the directory go one after the other. */
type Line = UserId | 'registry' | 'directory';

/** Accounts that are checked at once at the start. */
const CHECKED_AT_ONCE = 32;

/**
 * The data folder in memory: the registry, the directory, and the accounts that were opened last. A write goes to the
 * journal and is applied once it is on disk there: whatever can be read is durable, and there is nothing to undo.
 */
export class Database {
  readonly context: StorageContext;
  readonly registry: Registry;
  readonly directory: Directory;
  readonly shelves: Shelves;
  readonly accounts: Accounts;
  readonly acted = new Acted(() => this.accounts.each((_, { history }) => this.acted.noteAll(history)));
  readonly #folder: string;
  readonly #releaseLock: () => Promise<void>;
  readonly #turns = new Turns<Line>();
  #journal!: Journal<Write>;
  #unsaved!: Unsaved;
  #closing: Promise<void> | undefined;

  private constructor(folder: string, context: StorageContext, parts: Parts, releaseLock: () => Promise<void>) {
    this.#folder = folder;
    this.context = context;
    this.registry = parts.registry;
    this.directory = parts.directory;
    this.shelves = new Shelves(join(folder, 'episodes'));
    this.accounts = new Accounts(join(folder, 'users'), {
      registry: parts.registry,
      overlap: context.overlap,
      isNeeded: (user, account) => this.#unsaved.has(account) || this.#turns.has(user),
      onOpen: (user, account) => this.#count(user, account, account.feeds()),
    });
    this.#releaseLock = releaseLock;
  }

  /** Rejects with `busy` when another process has the folder, `corrupt` when something in it is damaged. */
  static async open(folder: string, context: StorageContext): Promise<Database> {
    await createFolder(folder);
    const releaseLock = await takeLock(folder);
    try {
      const registry = await Registry.open(join(folder, 'accounts.json'));
      const directory = await Directory.open(folder);
      const database = new Database(folder, context, { registry, directory }, releaseLock);
      await database.#recover();
      return database;
    } catch (error) {
      await releaseLock();
      throw toStorageError(error, (error as NodeJS.ErrnoException).path ?? folder);
    }
  }

  async #recover(): Promise<void> {
    const { journal, found } = await Journal.open(this.#folder, WRITE_PACKING, (seq, write) => {
      this.#apply(seq, write);
      this.#unsaved.saveLater();
    });
    this.#journal = journal;
    this.#unsaved = new Unsaved(this.#folder, journal, this.context.log);
    try {
      await this.#replay(found);
      await this.#removeStrays();
      journal.goOnAfter(this.registry.newestChange);
      const strangers = await this.#checkAccounts();
      if (strangers.length > 0) await this.#meetAgain(strangers);
    } catch (error) {
      await journal.discard();
      throw error;
    }
    // Not waited for: on a slow disk it takes seconds, and until then the older files have everything.
    if (found.length > 0) void this.#unsaved.save();
    else await journal.removeOlder();
  }

  async #replay(found: readonly [seq: number, write: Write][]): Promise<void> {
    for (const [seq, { account: _, ...write }] of found) this.#apply(seq, write);
    await this.registry.fileAll((user) => this.accounts.create(user));
    for (const [seq, { account }] of found) {
      if (!account || !this.registry.users.has(account.user)) continue; // removed later on
      await this.account(account.user);
      this.#apply(seq, { account });
    }
  }

  /**
   * Opens every account once: damage is told at the start, not later, and the directory counts who has what. Answers the
   * feeds of subscriptions that it does not know.
   */
  async #checkAccounts(): Promise<Url[]> {
    const strangers = new Set<Url>();
    const check = async (user: UserId): Promise<void> => {
      const account = await this.account(user);
      this.#journal.goOnAfter(account.newestChange);
      for (const url of this.directory.unknown(account.everSubscribed())) strangers.add(url);
    };
    const users = [...this.registry.users.keys()];
    while (users.length > 0) await Promise.all(users.splice(0, CHECKED_AT_ONCE).map(check));
    return [...strangers];
  }

  /** The directory lacks feeds: whoever removed its files wants all of them read again, also those of actions. */
  async #meetAgain(feeds: readonly Url[]): Promise<void> {
    const { podcasts } = await this.acted.gathered();
    const urls = this.directory.unknown([...feeds, ...podcasts]);
    await this.write({ directory: [{ kind: 'meet', urls, at: this.context.now() }] });
  }

  /** Folders of users whose removal or import was cut short. */
  async #removeStrays(): Promise<void> {
    const strays = await this.accounts.strays();
    await this.registry.begin(strays);
    for (const user of strays) await this.accounts.removeStray(user);
  }

  /** All that belongs to a user. Rejects with `missing` when there is no such user. */
  account(user: UserId): Promise<Account> {
    return this.accounts.open(user);
  }

  /** Runs one write after those in the same line that came before it. */
  inLine<T>(line: Line, step: () => Promise<T>): Promise<T> {
    if (this.#closing) return Promise.reject(new StorageError('unavailable', 'the storage is being closed'));
    return this.#turns.take(line, step);
  }

  /**
   * The mark to hand out with what is here now. Throws where the journal is broken: what it could not take back may be
   * there after a restart, with a stamp below this mark, and whoever has the mark would never get it.
   */
  mark(of: Account | Directory): Stamp {
    this.requireJournal();
    return of.mark(this.context.now());
  }

  /** Throws where nothing can be stored any more. */
  requireJournal(): void {
    if (this.#journal.broken) throw this.#journal.broken;
  }

  /** Makes a write durable, then visible. The directory gets to know the feeds in it. */
  async write(write: Write): Promise<void> {
    const { account } = write;
    if (account) this.accounts.get(account.user)!.requireRoom(account);
    const unknown = this.directory.unknown(account ? feedsOf(account) : []);
    if (unknown.length === 0) return this.#journal.append(write);
    const meet: DirectoryChange = { kind: 'meet', urls: unknown, at: this.context.now() };
    return this.#journal.append({ ...write, directory: [...(write.directory ?? []), meet] });
  }

  #apply(seq: number, { registry = [], directory, account, cleared }: Write): void {
    if (cleared) this.#forgetAll(seq);
    if (registry.length > 0) {
      this.registry.apply(seq, registry);
      for (const change of registry) if (change.kind === 'remove-user') this.directory.forget(change.user);
      this.#unsaved.add(this.registry);
    }
    if (directory) {
      this.directory.apply(directory);
      this.#unsaved.add(this.directory);
    }
    for (const change of registry) {
      const arrived = change.kind === 'user' && this.accounts.get(change.user.id);
      if (arrived) this.#count(change.user.id, arrived, arrived.feeds()); // what came with its files
    }
    if (account) {
      const loaded = this.accounts.get(account.user)!;
      loaded.apply(seq, account);
      this.#unsaved.add(loaded);
      if (account.upload) this.#tellDirectory(account.user, loaded, account.upload.changes);
    }
  }

  #tellDirectory(user: UserId, account: Account, changes: readonly UploadChange[]): void {
    for (const change of changes) {
      if (change.kind === 'subscribe') this.#count(user, account, feedsIn(change));
      else this.acted.note(change.actions);
    }
  }

  /** Notes which of these feeds the user subscribes to now. Answers those that were noted wrong. */
  #count(user: UserId, account: Account, feeds: readonly Url[]): Url[] {
    return feeds.filter((url) => this.directory.count(user, url, (each) => account.subscribes(each)));
  }

  /** Counts the feeds of all users once more; answers those that were counted wrong. */
  async recount(): Promise<Set<Url>> {
    const wrong = new Set<Url>();
    await this.accounts.each((user, account) => {
      const feeds = [...account.feeds(), ...this.directory.audience.feedsOf(user)];
      for (const url of this.#count(user, account, feeds)) wrong.add(url);
    });
    return wrong;
  }

  /** Forgets an account whose user the registry no longer has. */
  async removeAccount(user: UserId): Promise<void> {
    const account = this.accounts.forget(user);
    if (account) await this.#unsaved.delete(account);
    await this.accounts.removeFolder(user).catch((error: StorageError) => {
      this.context.log('warn', `${error.message}: what an account left is removed at the next start`);
    });
  }

  /**
   * Runs the steps that make an account; where they fail, nothing is left of it. Its files stay where the journal may
   * have it: the next start sees whether it has.
   */
  async arriving<T>(user: UserId, steps: () => Promise<T>): Promise<T> {
    try {
      return await steps();
    } catch (error) {
      if (!this.#journal.broken) await this.removeAccount(user);
      throw error;
    }
  }

  /** Removes everything. */
  clear(): Promise<void> {
    return this.inLine('registry', () =>
      this.#turns.takeAll<void>(['directory', ...this.registry.users.keys()], async () => {
        await this.#journal.append({ cleared: true });
        await this.#unsaved.settle();
        await this.accounts.removeFolders();
        await this.shelves.clear();
      }),
    );
  }

  #forgetAll(seq: number): void {
    this.accounts.forgetAll();
    this.registry.clear(seq);
    this.directory.clear();
    this.acted.clear();
    this.#unsaved.clear();
    for (const part of [this.registry, this.directory]) this.#unsaved.add(part);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.directory.search.close();
    await this.#turns.settle();
    await this.#unsaved.close();
    await this.#journal.close();
    await this.#releaseLock();
  }
}
