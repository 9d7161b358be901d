import type { Config } from '../config.ts';
import { ask, type Operator, withOperator } from './operator.ts';
import { getPassword, type PasswordChoice, printPassword } from './password.ts';
import { words } from './words.ts';

interface AddUserOptions extends PasswordChoice {
  name: string;
  email?: string;
}

/** `user add`. Rejects with why the account was not made. */
export async function addUser(config: Config, { name, email, ...choice }: AddUserOptions): Promise<void> {
  const password = await getPassword(choice);
  const make = (operator: Operator) => ask(operator, 'POST', '/operator/users', { name, email, password });
  await withOperator(config, make, { mayBeNew: true });
  if (choice.generate) await printPassword(password, name, config);
  words.success(
    `the account ${name} is there; log in with it in your podcast app, at the address that \`podsync serve\` shows`,
  );
}
