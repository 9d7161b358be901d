import type { Config } from '../config.ts';
import { countOf } from '../domain/count.ts';
import { confirm, requireTerminal } from './prompt.ts';
import { askOperator, pathOf } from './operator.ts';
import { getPassword, type PasswordChoice, printPassword, warnIfShort } from './password.ts';
import { readAccount } from './user-read.ts';
import { words } from './words.ts';

/** `user passwd`. */
export async function changePassword(config: Config, user: string, choice: PasswordChoice): Promise<void> {
  const password = await getPassword(choice, () => readAccount(config, user));
  await askOperator(config, 'PUT', pathOf(user, '/password'), { password });
  warnIfShort(password);
  if (choice.generate) await printPassword(password, user, config);
  words.success('Password changed and all sessions ended. Enter the new password in your apps.');
}

/** `user rename`. */
export async function renameUser(config: Config, user: string, name: string): Promise<void> {
  await askOperator(config, 'PUT', pathOf(user, '/name'), { name });
  words.success(`the account is ${name} from now on; apps must be told, as the name is part of every address they use`);
}

/** `user remove`: asks first. */
export async function removeUser(config: Config, user: string, { yes = false }): Promise<void> {
  requireTerminal(yes);
  if (!yes) {
    const { name, devices, subscriptions, actions } = await readAccount(config, user);
    await confirm(
      `Remove ${name} with ${countOf(devices.length, 'device')}, ${countOf(subscriptions, 'subscription')} and ${countOf(actions, 'episode action')}?`,
    );
  }
  await askOperator(config, 'DELETE', pathOf(user));
  words.success('the account and all that belonged to it are gone');
}
