import type { Config } from '../config.ts';
import type { ListedAppPassword } from '../routes/operator/app-passwords.ts';
import { commandLine, quote } from './invocation.ts';
import { accountPath, sendOnce, toSegment } from './operator.ts';
import { messages, printResult, printSecret, toDay, toTable } from './output.ts';

/** `user app-password add`: prints only the password to stdout, for scripts. */
export async function addAppPassword(config: Config, user: string, { label }: { label: string }): Promise<void> {
  const reply = await sendOnce(config, 'POST', accountPath(user, '/app-passwords'), { label });
  messages.success(`App password for ${label} created. It is not shown again:`);
  const command = commandLine(`user app-password list ${quote(user)}`, config);
  await printSecret(
    (reply as { password: string }).password,
    'the app password',
    `revoke it and create another one; its id is in: ${command}`,
  );
}

/** `user app-password list`. */
export async function listAppPasswords(config: Config, user: string, { json = false }): Promise<void> {
  const all = (await sendOnce(config, 'GET', accountPath(user, '/app-passwords'))) as ListedAppPassword[];
  printResult(all, json, () => toAppPasswordTable(all));
}

/** `user app-password revoke`. */
export async function revokeAppPassword(config: Config, user: string, id: string): Promise<void> {
  const segment = toSegment(id, 'the account has no app password with this id');
  await sendOnce(config, 'DELETE', accountPath(user, `/app-passwords/${segment}`));
  messages.success('App password revoked. The app can no longer sync with it.');
}

export const toAppPasswordTable = (all: readonly ListedAppPassword[]): string =>
  toTable(
    all.map(({ id, label, app, created, lastUsed, address }) => [
      id,
      label,
      app,
      toDay(created),
      toDay(lastUsed),
      address,
    ]),
    ['ID', 'LABEL', 'APP', 'CREATED', 'LAST USED', 'ADDRESS'],
  );
