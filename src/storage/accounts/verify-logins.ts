import type { UserId } from '../../domain/types.ts';
import type { KeyValueStore } from '../contract.ts';
import type { Core } from '../core.ts';
import { StorageError } from '../errors.ts';
import { under } from '../keys.ts';
import { scan } from '../rows.ts';
import { valueOf } from '../values.ts';
import { accountPrefix, ACCOUNTS, headKey, loginIn, loginKey, LOGINS } from './account-keys.ts';
import type { Head } from './head.ts';
import { userIn } from './logins.ts';

/** Throws `corrupt` if an account has lost its data, or the name with which its owner logs in. */
export async function verifyLogins({ store }: Core): Promise<void> {
  const problems = [
    await describe('accounts whose data is missing', loginsWithoutAccount(store)),
    await describe('accounts whose names are missing', accountsWithoutLogin(store)),
  ].filter((problem) => problem !== undefined);
  if (problems.length === 0) return;
  throw new StorageError('corrupt', `${problems.join('; ')}; restore the storage from a backup`);
}

/** How many accounts a message names. */
const MAX_NAMES = 10;

async function describe(what: string, names: AsyncIterable<string>): Promise<string | undefined> {
  const named: string[] = [];
  let others = 0;
  for await (const name of names) {
    if (named.length < MAX_NAMES) named.push(name);
    else others += 1;
  }
  if (named.length === 0) return undefined;
  return `${what}: ${named.toSorted().join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

async function* loginsWithoutAccount(store: KeyValueStore): AsyncGenerator<string> {
  for await (const page of scan(store, LOGINS)) {
    const heads = await store.get(page.map((login) => headKey(userIn(login))));
    const suspects = page.filter((_login, index) => !heads[index]).map(({ key }) => key);
    // An account that was removed meanwhile has no login any more.
    for (const login of await store.get(suspects)) if (login) yield loginIn(login.key);
  }
}

async function* accountsWithoutLogin(store: KeyValueStore): AsyncGenerator<string> {
  let { from, until } = under(ACCOUNTS);
  for (;;) {
    const [first] = await store.list({ from, until, limit: 1 });
    if (!first) return;
    const user = first.key.slice(ACCOUNTS.length).split('/')[0] as UserId;
    from = under(accountPrefix(user)).until;
    const [head] = await store.get([headKey(user)]);
    if (!head) continue; // staged, or being removed
    const { name } = valueOf<Head>(head);
    const [login, again] = await store.get([loginKey(name), headKey(user)]);
    // An account that has changed meanwhile may have been renamed or removed.
    if ((login && userIn(login)) !== user && again?.version === head.version) yield name;
  }
}
