import type { Config } from '../config.ts';
import type { NewAccount } from '../services/accounts.ts';
import { ask, hasAccount, type Operator, withOperator } from './operator.ts';
import { getPassword, type PasswordChoice, printPassword, warnIfShort } from './password.ts';
import { askYesNo } from './prompt.ts';
import { words } from './words.ts';

interface AddUserOptions extends PasswordChoice {
  name: string;
  email?: string;
  /** Asked for along with the password unless given; scripts are not asked, and the server's default applies. */
  syncDevices?: boolean;
  private?: boolean;
}

/** For many this is the first command of all. */
const FIRST = { mayBeNew: true };

/** `user add`. Rejects with why the account was not created. */
export async function addUser(config: Config, options: AddUserOptions): Promise<void> {
  const { name, email, passwordStdin, generate } = options;
  const requireFree = async (operator: Operator): Promise<void> => {
    for (const [what, login] of Object.entries({ name, ...(email !== undefined && { 'e-mail address': email }) })) {
      if (await hasAccount(operator, login)) throw new Error(`an account with the ${what} ${login} already exists`);
    }
  };
  const password = await getPassword(options, () => withOperator(config, requireFree, FIRST));
  const account = { name, email, password, ...(await chooseSettings(options, !passwordStdin && !generate)) };
  await withOperator(config, (operator) => ask(operator, 'POST', '/operator/users', account), FIRST);
  warnIfShort(password);
  if (generate) await printPassword(password, name, config);
  words.success(
    `Account ${name} created. In your podcast app, enter this name, the password and the server address that \`podsync serve\` shows.`,
  );
}

async function chooseSettings(
  { syncDevices, private: isPrivate }: AddUserOptions,
  isAsked: boolean,
): Promise<Pick<NewAccount, 'syncDevices' | 'isPrivate'>> {
  if (isAsked) {
    syncDevices ??= await askYesNo('Keep one subscription list on all devices?', true);
    isPrivate ??= !(await askYesNo('Show my subscriptions publicly?', false));
  }
  return { ...(syncDevices !== undefined && { syncDevices }), ...(isPrivate !== undefined && { isPrivate }) };
}
