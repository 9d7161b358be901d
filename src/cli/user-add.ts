import type { Config } from '../config.ts';
import { askOperator, makeDataFolder } from './operator.ts';
import { getPassword, type PasswordChoice } from './password.ts';
import { words } from './words.ts';

interface AddUserOptions extends PasswordChoice {
  name: string;
  email?: string;
}

/** `user add`. Rejects with why the account was not made. */
export async function addUser(config: Config, { name, email, ...choice }: AddUserOptions): Promise<void> {
  const password = await getPassword(choice);
  await makeDataFolder(config);
  await askOperator(config, 'POST', '/operator/users', { name, email, password });
  if (choice.generate) process.stdout.write(`${password}\n`);
  words.success(
    `the account ${name} is there; log in with it in your podcast app, at the address that \`podsync serve\` shows`,
  );
}
