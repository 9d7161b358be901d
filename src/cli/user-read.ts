import type { Config } from '../config.ts';
import type { ListedAccount, ShownAccount } from '../routes/operator/users.ts';
import { askOperator, pathOf } from './operator.ts';
import { printResult } from './result.ts';
import { toTable } from './table.ts';

export const readAccount = async (config: Config, user: string): Promise<ShownAccount> =>
  (await askOperator(config, 'GET', pathOf(user))) as ShownAccount;

/** `user list`. */
export async function listUsers(config: Config, { json = false }): Promise<void> {
  const users = (await askOperator(config, 'GET', '/operator/users')) as ListedAccount[];
  const head = ['NAME', 'E-MAIL', 'DEVICES', 'SUBSCRIPTIONS', 'CREATED'];
  const rows = users.map(({ name, email, devices, subscriptions, created }) => [
    name,
    email,
    devices,
    subscriptions,
    created,
  ]);
  printResult(users, json, () => toTable([head, ...rows]));
}

/** `user show`. */
export async function showUser(config: Config, user: string, { json = false }): Promise<void> {
  const account = await readAccount(config, user);
  printResult(account, json, () => toText(account));
}

function toText({ name, email, created, subscriptions, actions, sessions, devices, lists }: ShownAccount): string {
  const facts = toTable([
    ['name', name],
    ['e-mail', email],
    ['created', created],
    ['subscriptions', subscriptions],
    ['episode actions', actions],
    ['sessions', sessions],
  ]);
  const deviceTable = toTable([
    ['DEVICE', 'TYPE', 'SUBSCRIPTIONS', 'CAPTION'],
    ...devices.map((device) => [device.id, device.type, device.subscriptions, device.caption]),
  ]);
  const listTable = toTable([['LIST', 'TITLE'], ...lists.map((list) => [list.name, list.title])]);
  return [facts, devices.length > 0 ? deviceTable : '', lists.length > 0 ? listTable : '']
    .filter((part) => part !== '')
    .join('\n');
}
