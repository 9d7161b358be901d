import type { Config } from '../config.ts';
import { countOf } from '../domain/count.ts';
import type { AccountList, ListedSession, ShownAccount } from '../routes/operator/users.ts';
import { checkEmail, checkUserName, type NewAccount } from '../services/accounts/accounts.ts';
import { toAppPasswordTable } from './app-passwords.ts';
import { commandLine } from './invocation.ts';
import { accountPath, hasAccount, type Operator, send, sendOnce, withOperator } from './operator.ts';
import { messages, printResult, toDay, toFacts, toTable } from './output.ts';
import { getPassword, type PasswordOptions, printPassword, warnIfShort } from './password.ts';
import { askYesNo, confirm, requireTerminal } from './prompt.ts';

interface AddUserOptions extends PasswordOptions {
  email?: string;
  /** By default it is asked for with the password; without a terminal, the default of the server applies. */
  syncDevices?: boolean;
  private?: boolean;
}

/** `user add` may be the first command. */
const FIRST = { mayBeNew: true };

/** `user add`. Rejects with the reason if the account was not created. */
export async function addUser(config: Config, name: string, options: AddUserOptions): Promise<void> {
  const { email, passwordStdin, generate } = options;
  checkUserName(name); // here, too: nobody should enter a password twice only to read that the name is not valid
  if (email !== undefined) checkEmail(email);
  const requireFree = async (operator: Operator): Promise<void> => {
    for (const [what, login] of Object.entries({ name, ...(email !== undefined && { 'e-mail address': email }) })) {
      if (await hasAccount(operator, login)) throw new Error(`an account with the ${what} ${login} already exists`);
    }
  };
  const password = await getPassword(options, () => withOperator(config, requireFree, FIRST));
  const account = { name, email, password, ...(await chooseSettings(options, !passwordStdin && !generate)) };
  await withOperator(config, (operator) => send(operator, 'POST', '/operator/users', account), FIRST);
  warnIfShort(password);
  if (generate) await printPassword(password, name, config);
  messages.success(
    `Account ${name} created. Log in with it in your podcast app, at the address that \`podsync serve\` shows.`,
  );
}

async function chooseSettings(
  { syncDevices, private: isPrivate }: AddUserOptions,
  isAsked: boolean,
): Promise<Pick<NewAccount, 'syncDevices' | 'isPrivate'>> {
  if (isAsked) {
    syncDevices ??= await askYesNo('Keep one subscription list on all devices?', true);
    isPrivate ??= !(await askYesNo('Show subscriptions publicly?', false));
  }
  return { ...(syncDevices !== undefined && { syncDevices }), ...(isPrivate !== undefined && { isPrivate }) };
}

/** `user passwd`. */
export async function changePassword(config: Config, user: string, options: PasswordOptions): Promise<void> {
  const password = await getPassword(options, () => readAccount(config, user));
  await sendOnce(config, 'PUT', accountPath(user, '/password'), { password });
  warnIfShort(password);
  if (options.generate) await printPassword(password, user, config);
  messages.success(
    'Password changed and all sessions ended. Enter the new password in your apps. App passwords stay valid.',
  );
}

/** `user rename`. */
export async function renameUser(config: Config, user: string, name: string): Promise<void> {
  await sendOnce(config, 'PUT', accountPath(user, '/name'), { name });
  messages.success(`Account renamed to ${name}. Enter the new name in your apps: every address they use contains it.`);
}

/** `user remove`: asks first. */
export async function removeUser(config: Config, user: string, { yes = false }): Promise<void> {
  if (!yes) {
    requireTerminal();
    const { name, devices, subscriptions, actions } = await readAccount(config, user);
    await confirm(
      `Remove ${name} with ${countOf(devices.length, 'device')}, ${countOf(subscriptions, 'subscription')} and ${countOf(actions, 'episode action')}?`,
    );
  }
  await sendOnce(config, 'DELETE', accountPath(user));
  messages.success('Account removed');
}

const readAccount = async (config: Config, user: string): Promise<ShownAccount> =>
  (await sendOnce(config, 'GET', accountPath(user))) as ShownAccount;

/** `user list`. Rejects after it has listed the others if an account is damaged. */
export async function listUsers(config: Config, { json = false }): Promise<void> {
  const { accounts, damaged } = (await sendOnce(config, 'GET', '/operator/users')) as AccountList;
  const header = ['NAME', 'E-MAIL', 'DEVICES', 'SUBSCRIPTIONS', 'LAST SYNC', 'CREATED'];
  printResult(accounts, json, () =>
    toTable(
      accounts.map(({ name, email, devices, subscriptions, lastSync, created }) => [
        name,
        email,
        devices,
        subscriptions,
        toDay(lastSync),
        toDay(created),
      ]),
      header,
    ),
  );
  for (const { login, problem } of damaged) messages.warn(`account ${login}: ${problem}`);
  if (damaged.length > 0) {
    const missing = countOf(damaged.length, 'damaged account');
    throw new Error(`the list is complete except for ${missing}; for advice: ${commandLine('check', config)}`);
  }
}

/** `user show`. */
export async function showUser(config: Config, user: string, { json = false }): Promise<void> {
  const account = await readAccount(config, user);
  printResult(account, json, () => toText(account));
}

function toText(account: ShownAccount): string {
  const { name, email, created, lastSync, subscriptions, actions, sessions, appPasswords, devices, lists, refusals } =
    account;
  const facts = toFacts([
    ['name', name],
    ['e-mail', email],
    ['created', toDay(created)],
    ['last sync', toDay(lastSync)],
    ['subscriptions', subscriptions],
    ['episode actions', actions],
    ['sessions', sessions],
  ]);
  const deviceTable = toTable(
    devices.map(({ id, type, subscriptions: feeds, app, dialect, lastSync: synced, caption }) => [
      id,
      type,
      feeds,
      app,
      dialect,
      toDay(synced),
      caption,
    ]),
    ['DEVICE', 'TYPE', 'SUBSCRIPTIONS', 'APP', 'SERVICE', 'LAST SYNC', 'CAPTION'],
  );
  const listTable = toTable(
    lists.map((list) => [list.name, list.title]),
    ['LIST', 'TITLE'],
  );
  const refusalTable = toTable(
    refusals.map(({ at, device, app, dialect, reason }) => [at, device, app, dialect, reason]),
    ['REFUSED', 'DEVICE', 'APP', 'SERVICE', 'REASON'],
  );
  return [
    facts,
    ...(devices.length > 0 ? [deviceTable] : []),
    ...(lists.length > 0 ? [listTable] : []),
    ...(appPasswords.length > 0 ? [toAppPasswordTable(appPasswords)] : []),
    ...(refusals.length > 0 ? [refusalTable] : []),
  ].join('\n');
}

interface SessionOptions {
  /** End them, instead of listing them. */
  end?: boolean;
  json?: boolean;
}

/** `user sessions`. */
export async function manageSessions(config: Config, user: string, { end, json }: SessionOptions): Promise<void> {
  const reply = await sendOnce(config, end ? 'DELETE' : 'GET', accountPath(user, '/sessions'));
  printResult(reply, json, () => (end ? toSummary(reply) : toSessionTable(reply as ListedSession[])));
}

const toSummary = (reply: unknown): string => `${countOf((reply as { ended: number }).ended, 'session')} ended\n`;

const toSessionTable = (sessions: readonly ListedSession[]): string =>
  toTable(
    sessions.map(({ used, expires }) => [toDay(used), toDay(expires)]),
    ['LAST USED', 'EXPIRES'],
  );
