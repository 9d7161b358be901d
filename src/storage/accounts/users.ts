import { LRUCache } from 'lru-cache';
import { inBatches } from '../../batches.ts';
import { compareText } from '../../domain/text-order.ts';
import type { Seconds, UserId } from '../../domain/types.ts';
import { atMost } from '../../lru.ts';
import type { Entry, KeyValueStore } from '../contract.ts';
import type { Core } from '../core.ts';
import { isStorageError, StorageError } from '../errors.ts';
import { hasKeys, scan } from '../rows.ts';
import type { User, UserRecord, UserStore } from '../stores.ts';
import { readValue } from '../values.ts';
import { importAccount } from './account-import.ts';
import { foldLogin, headKey, loginIn, loginKey, LOGINS } from './account-keys.ts';
import type { Write } from './accounts.ts';
import { type Head, toUser } from './head.ts';
import { loginKeys, requireFreeLogins, setLogins, userIn } from './logins.ts';
import { removeAbandoned, removeAccount } from './removal.ts';
import { endSessions } from './sessions.ts';

/** Logins in the cache. */
const MAX_CACHED = 10_000;
/** Accounts that are read concurrently: a store may have a file for each. */
const READ_AT_ONCE = 100;
/** Maximum difference between the clocks of nodes. */
const CLOCK_SKEW: Seconds = 30;

export function createUserStore(core: Core): UserStore {
  const { store, accounts, context } = core;
  /** User ids by folded login. Must be verified, as accounts are renamed and removed. */
  const cache = new LRUCache<string, UserId>(atMost(MAX_CACHED));

  const findId = async (login: string): Promise<UserId | undefined> => {
    const [entry] = await store.get([loginKey(login)]);
    return entry && userIn(entry);
  };
  /** The account, if it has this folded login. */
  const userWithLogin = async (id: UserId, login: string): Promise<User | undefined> => {
    const head = await accounts.findHead(id);
    const hasLogin = head && (foldLogin(head.name) === login || foldLogin(head.email ?? head.name) === login);
    return hasLogin ? toUser(id, head) : undefined;
  };

  return {
    async create({ name, email, passwordHash }, settings = {}) {
      const user = { name, ...(email !== undefined && { email }), passwordHash, createdAt: context.now() };
      const records: UserRecord[] = [
        { kind: 'user', ...user, stamp: user.createdAt }, // stamps are based on time
        { kind: 'settings', scope: { kind: 'account' }, values: Object.entries(settings) },
      ];
      return { id: await importAccount(core, [records]), ...user };
    },

    async find(login) {
      const folded = foldLogin(login);
      const cached = cache.get(folded);
      const found = cached && (await userWithLogin(cached, folded));
      if (found) return found;
      const id = await findId(login);
      const user = id && (await userWithLogin(id, folded));
      if (user) cache.set(folded, id);
      return user;
    },

    findId,

    update: (id, change) =>
      accounts.write(id, async ({ head }) => {
        const user = { name: head.name, email: head.email, ...change };
        await requireFreeLogins(store, user, id);
        const before = loginKeys(head);
        const after = loginKeys(user);
        const added = after.filter((key) => !before.includes(key));
        const ended: Write = change.passwordHash === undefined ? {} : (await endSessions(core, id, head)).write;
        return {
          result: undefined,
          write: {
            head: { ...user, ...ended.head },
            check: added.map((key) => [key, 0] as const),
            set: setLogins(added, id),
            delete: [...before.filter((key) => !after.includes(key)), ...(ended.delete ?? [])],
          },
        };
      }),

    delete: (id) => removeAccount(core, id),

    removeAbandoned: () => removeAbandoned(core),

    stableUntil: (id) => accounts.exclusive(id, async () => context.now() - (store.isShared ? CLOCK_SKEW : 0)),

    hasAny: () => hasKeys(store, LOGINS),

    async all(onDamage) {
      const seen = new Set<UserId>();
      /** Undefined if the account was already found under another login, or was removed meanwhile. */
      const read = async (login: Entry): Promise<User | undefined> => {
        const id = userIn(login);
        if (seen.has(id)) return undefined;
        seen.add(id);
        const name = loginIn(login.key);
        try {
          const head = await readValue<Head>(store, headKey(id));
          if (head) return toUser(id, head);
          const [current] = await store.get([login.key]);
          if (current && userIn(current) === id) throw dataMissing(name);
        } catch (error) {
          const isDamage = isStorageError(error, 'missing') || isStorageError(error, 'corrupt');
          if (!onDamage || !isDamage) throw error;
          onDamage(name, error);
        }
        return undefined;
      };
      const users: (User | undefined)[] = [];
      for await (const page of scan(store, LOGINS)) {
        for (const logins of inBatches(page, READ_AT_ONCE)) users.push(...(await Promise.all(logins.map(read))));
      }
      return users.filter((user) => user !== undefined).toSorted((a, b) => compareText(a.name, b.name));
    },
  };
}

const dataMissing = (name: string): StorageError =>
  new StorageError(
    'missing',
    `the data of the account ${name} is missing; restore the storage from a backup, or remove the account with \`podsync user remove NAME --yes\``,
  );

/** The ids of all accounts; one with an e-mail address may occur twice. */
export async function* userIds(store: KeyValueStore): AsyncGenerator<UserId> {
  for await (const page of scan(store, LOGINS)) yield* new Set(page.map(userIn));
}
