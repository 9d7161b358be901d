import type { Config } from '../config.ts';
import { ask, hasAccount, type Operator, withOperator } from './operator.ts';
import { getPassword, type PasswordChoice, printPassword, warnIfShort } from './password.ts';
import { words } from './words.ts';

interface AddUserOptions extends PasswordChoice {
  name: string;
  email?: string;
}

/** For many this is the first command of all. */
const FIRST = { mayBeNew: true };

/** `user add`. Rejects with why the account was not made. */
export async function addUser(config: Config, { name, email, ...choice }: AddUserOptions): Promise<void> {
  const requireFree = async (operator: Operator): Promise<void> => {
    for (const login of email === undefined ? [name] : [name, email]) {
      if (await hasAccount(operator, login)) throw new Error(`there is an account with ${login} already`);
    }
  };
  const password = await getPassword(choice, () => withOperator(config, requireFree, FIRST));
  const make = (operator: Operator) => ask(operator, 'POST', '/operator/users', { name, email, password });
  await withOperator(config, make, FIRST);
  warnIfShort(password);
  if (choice.generate) await printPassword(password, name, config);
  words.success(
    `the account ${name} is there; log in with it in your podcast app, at the address that \`podsync serve\` shows`,
  );
}
