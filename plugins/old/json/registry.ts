import { type Seconds, type Session, StorageError, type User, type UserId } from '../../../src/old-plugin.ts';
import { noSuchAccount } from '../errors.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';

/** What can happen to users and sessions. */
export type RegistryChange =
  | { kind: 'user'; user: User }
  | { kind: 'remove-user'; user: UserId }
  | { kind: 'session'; session: Session }
  | { kind: 'prolong-session'; digest: string; expiresAt: Seconds }
  | { kind: 'end-session'; digest: string }
  | { kind: 'end-expired'; at: Seconds }
  | { kind: 'end-sessions'; user: UserId };

interface RegistryFile {
  seq: number;
  /** Whether each account has a file from the beginning. Early podsyncs wrote it with the first change. */
  filed: boolean;
  users: User[];
  sessions: Session[];
}

const fold = (login: string): string => login.toLowerCase();

/** The one file that says who there is: users and their sessions, always in memory. */
export class Registry {
  readonly users = new Map<UserId, User>();
  readonly sessions = new Map<string, Session>();
  readonly #logins = new Map<string, UserId>();
  readonly #path: string;
  readonly #file: Snapshot<RegistryFile>;
  #seq: number;
  #isFiled: boolean;

  private constructor(path: string, file: Snapshot<RegistryFile>) {
    this.#path = path;
    this.#file = file;
    this.#seq = file.data.seq;
    this.#isFiled = file.data.filed;
    for (const user of file.data.users) this.#add(user);
    for (const session of file.data.sessions) this.sessions.set(session.digest, session);
  }

  static async open(path: string): Promise<Registry> {
    return new Registry(
      path,
      await openSnapshot<RegistryFile>(path, { seq: 0, filed: false, users: [], sessions: [] }),
    );
  }

  /**
   * Writes the file where there is none. Rejects with `corrupt` where there are `strays` then, users with a folder: the
   * file is lost, and they must not be taken for what a removal left.
   */
  async begin(strays: readonly string[]): Promise<void> {
    if (this.#file.adapter.isThere) return;
    if (strays.length > 0) {
      throw new StorageError('corrupt', `${this.#path} is missing; restore the data folder from a backup`);
    }
    await this.save();
  }

  /** Gives those accounts a file that never had one, where an early podsync made them. */
  async fileAll(file: (user: User) => Promise<void>): Promise<void> {
    if (this.#isFiled) return;
    for (const user of this.users.values()) await file(user);
    this.#isFiled = true;
    if (this.#file.adapter.isThere) await this.save();
  }

  /** Throws `corrupt` where the file is older than a change in this folder: it was restored without the rest. */
  requireNewerThan(change: number, folder: string): void {
    if (change <= this.#seq) return;
    const remedy = 'put the newer file back, or restore the whole data folder from a backup';
    throw new StorageError('corrupt', `${this.#path} is older than ${folder}; ${remedy}`);
  }

  /** The number of the newest change in here. */
  get newestChange(): number {
    return this.#seq;
  }

  /** Throws `missing` when there is no such user. */
  user(id: UserId): User {
    const user = this.users.get(id);
    if (!user) throw noSuchAccount();
    return user;
  }

  /** Pages of a user's files. Throws `missing` where these went with the user meanwhile. */
  async *whileThere<Page>(id: UserId, pages: AsyncIterable<Page>): AsyncGenerator<Page> {
    try {
      yield* pages;
    } catch (error) {
      this.user(id);
      throw error;
    }
  }

  /** By name or e-mail, without case. */
  find(login: string): User | undefined {
    const id = this.#logins.get(fold(login));
    return id && this.users.get(id);
  }

  /** Passes over changes that are in here already. */
  apply(seq: number, changes: readonly RegistryChange[]): void {
    if (seq <= this.#seq) return;
    this.#seq = seq;
    for (const change of changes) this.#applyOne(change);
  }

  clear(seq: number): void {
    if (seq <= this.#seq) return;
    this.#seq = seq;
    this.users.clear();
    this.sessions.clear();
    this.#logins.clear();
  }

  #applyOne(change: RegistryChange): void {
    switch (change.kind) {
      case 'user':
        this.#remove(change.user.id);
        this.#add(change.user);
        break;
      case 'remove-user':
        this.#endSessions(change.user);
        this.#remove(change.user);
        break;
      case 'session':
        // The user may have been removed while the session was on its way.
        if (this.users.has(change.session.user)) this.sessions.set(change.session.digest, change.session);
        break;
      case 'prolong-session': {
        const { digest, expiresAt } = change;
        const session = this.sessions.get(digest);
        if (session) this.sessions.set(digest, { ...session, expiresAt });
        break;
      }
      case 'end-session':
        this.sessions.delete(change.digest);
        break;
      case 'end-expired':
        for (const { digest, expiresAt } of this.sessions.values()) {
          if (expiresAt <= change.at) this.sessions.delete(digest);
        }
        break;
      case 'end-sessions':
        this.#endSessions(change.user);
        break;
    }
  }

  #add(user: User): void {
    this.users.set(user.id, user);
    this.#logins.set(fold(user.name), user.id);
    if (user.email) this.#logins.set(fold(user.email), user.id);
  }

  #remove(id: UserId): void {
    const user = this.users.get(id);
    if (!user) return;
    this.users.delete(id);
    this.#logins.delete(fold(user.name));
    if (user.email) this.#logins.delete(fold(user.email));
  }

  #endSessions(user: UserId): void {
    for (const session of this.sessions.values()) if (session.user === user) this.sessions.delete(session.digest);
  }

  async save(): Promise<void> {
    this.#file.data = {
      seq: this.#seq,
      filed: this.#isFiled,
      users: [...this.users.values()],
      sessions: [...this.sessions.values()],
    };
    await this.#file.write();
  }
}
