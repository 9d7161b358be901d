import type { Clock } from '../../clock.ts';
import { invalid, Refusal } from '../../domain/errors.ts';
import { compareText } from '../../domain/text-order.ts';
import { readBackup } from '../../formats/backup/read.ts';
import type { AccountRecord, BackupRecord } from '../../formats/backup/record.ts';
import { writeBackup } from '../../formats/backup/write.ts';
import { isStorageError } from '../../storage/errors.ts';
import type { DirectoryRecord, Storage, TransferStore, User, UserRecord } from '../../storage/stores.ts';
import { checkUserName, requireUser } from '../accounts/accounts.ts';
import { createLockedHash } from '../accounts/passwords.ts';
import { createRecordChecks } from './record-checks.ts';
import { type RecordCounts, createRecordCounter } from './record-counter.ts';
import { drain, type Section, splitSections } from './sections.ts';

interface BackupChoice {
  /** Names or e-mail addresses; empty: all accounts and the directory. */
  users: readonly string[];
  /** Whether to include sessions and the hashes of passwords and app passwords. */
  passwords: boolean;
}

interface Backup {
  accounts: number;
  /** Ends with a line that marks it as complete, or throws. */
  text: AsyncIterable<string>;
}

interface ImportChoice {
  /** A new name for the only account of the backup. */
  as?: string;
  /** Only report what would change. */
  dryRun: boolean;
}

export interface ImportedAccount extends Pick<RecordCounts, 'devices' | 'subscriptions' | 'actions' | 'lists'> {
  name: string;
  /** Whether the backup contains its password; without one, nobody can log in to the account. */
  password: boolean;
  /** Why it was skipped. */
  problem?: string;
}

export interface ImportReport extends Pick<RecordCounts, 'podcasts' | 'episodes'> {
  accounts: ImportedAccount[];
  /** Number of records whose times were in the future and were set back; omitted if there were none. */
  inFuture?: number;
}

/** Exports and imports backups of accounts. */
export interface Transfer {
  /** Each account is a consistent snapshot. Throws as `requireUser` does. */
  export(choice: BackupChoice): Promise<Backup>;
  /**
   * Imports the accounts of a backup, each completely or not at all, then its directory. Skips accounts that exist. With
   * `as`, the account gets another name, no e-mail address, no app passwords and no sessions. Throws `invalid`, naming the
   * line, if the backup is incomplete or altered, or contains what the interface would not accept. Earlier accounts are
   * imported by then: a dry run checks the whole backup first.
   */
  import(backup: AsyncIterable<Uint8Array>, choice: ImportChoice): Promise<ImportReport>;
}

export function createTransfer(storage: Pick<Storage, 'users' | 'podcasts' | 'transfer'>, now: Clock): Transfer {
  const { users, podcasts: directory, transfer } = storage;

  const select = async (logins: readonly string[]): Promise<User[]> => {
    const selected = logins.length === 0 ? await users.all() : [];
    for (const login of logins) {
      const user = await requireUser(users, login, `the name or e-mail address ${login}`);
      if (selected.every(({ id }) => id !== user.id)) selected.push(user);
    }
    return selected.toSorted((a, b) => compareText(a.name, b.name));
  };

  const findProblem = async ({ name, email }: AccountRecord): Promise<string | undefined> => {
    if (await users.find(name)) return 'an account with this name already exists';
    if (email !== undefined && (await users.find(email))) return 'another account has its e-mail address';
    return undefined;
  };

  const importAccount = async (
    { account, records }: Section & { account: AccountRecord },
    { as, dryRun }: ImportChoice,
  ): Promise<ImportedAccount> => {
    const named = as === undefined ? account : rename(account, as);
    checkUserName(named.name);
    const counter = createRecordCounter();
    let problem = await findProblem(named);
    if (problem === undefined && !dryRun) {
      const kept = toStored(counter.count(records), named, as === undefined);
      problem = await transfer.importUser(kept).then(() => undefined, toProblem);
    }
    await drain(counter.count(records));
    const { devices, subscriptions, actions, lists } = counter.counts;
    const password = account.passwordHash !== undefined;
    return { name: named.name, devices, subscriptions, actions, lists, password, ...(problem && { problem }) };
  };

  return {
    async export({ users: logins, passwords }) {
      const selected = await select(logins);
      const records = async function* (): AsyncIterable<BackupRecord[]> {
        const accounts = exportAccounts(transfer, selected);
        yield* passwords ? accounts : withoutPasswords(accounts);
        if (logins.length === 0) yield* transfer.exportDirectory();
      };
      return { accounts: selected.length, text: writeBackup(records()) };
    },

    async import(backup, choice) {
      const { as, dryRun } = choice;
      const accounts: ImportedAccount[] = [];
      const counter = createRecordCounter();
      const checks = createRecordChecks(now());
      for await (const { account, records } of splitSections(readBackup(backup, checks.accept))) {
        if (account) {
          if (as !== undefined && accounts.length > 0) throw oneOnly();
          accounts.push(await importAccount({ account, records }, choice));
        } else {
          const found = counter.count(records) as AsyncIterable<DirectoryRecord[]>;
          await (dryRun ? drain(found) : transfer.importDirectory(found));
        }
      }
      if (as !== undefined && accounts.length === 0) throw oneOnly();
      if (!dryRun) await directory.addPendingFeeds();
      const { podcasts, episodes } = counter.counts;
      const { inFuture } = checks;
      return { accounts, podcasts, episodes, ...(inFuture > 0 && { inFuture }) };
    },
  };
}

const oneOnly = (): Refusal =>
  invalid('--as needs a backup of a single account; write one with `podsync export --format backup --user NAME`');

function rename({ email: _email, ...account }: AccountRecord, name: string): AccountRecord {
  return { ...account, name };
}

/** Whole accounts, in the given order. Skips an account that was deleted before its turn. */
async function* exportAccounts(
  transfer: Pick<TransferStore, 'exportUser'>,
  users: readonly User[],
): AsyncIterable<UserRecord[]> {
  for (const { id, name } of users) {
    let hasStarted = false;
    try {
      for await (const page of transfer.exportUser(id)) {
        hasStarted = true;
        yield page;
      }
    } catch (error) {
      if (!isStorageError(error, 'missing')) throw error;
      if (hasStarted) throw new Refusal('missing', `the account ${name} was deleted while it was read; run this again`);
    }
  }
}

async function* withoutPasswords(pages: AsyncIterable<UserRecord[]>): AsyncIterable<BackupRecord[]> {
  for await (const page of pages) {
    yield page.flatMap((record): BackupRecord[] => {
      if (record.kind === 'session' || record.kind === 'appPassword') return [];
      if (record.kind !== 'user') return [record];
      const { passwordHash: _hash, ...account } = record;
      return [account];
    });
  }
}

/** The records to store of an account in a backup. */
async function* toStored(
  pages: AsyncIterable<BackupRecord[]>,
  account: AccountRecord,
  logins: boolean,
): AsyncIterable<UserRecord[]> {
  for await (const page of pages) {
    const kept = page.filter(({ kind }) => logins || (kind !== 'session' && kind !== 'appPassword'));
    const stored = kept.map((record) =>
      record.kind === 'user' ? { ...account, passwordHash: account.passwordHash ?? createLockedHash() } : record,
    );
    if (stored.length > 0) yield stored as UserRecord[];
  }
}

function toProblem(error: unknown): string {
  if (isStorageError(error, 'conflict')) return error.message;
  throw error;
}
