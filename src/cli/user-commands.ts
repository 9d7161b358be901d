import { type Command, Option } from 'commander';
import { ACCOUNT_OPTIONS, BASE_URL_OPTION, readConfig } from '../config.ts';
import { addCommand } from './command.ts';

/** The commands for accounts. */
export function defineUser(user: Command): void {
  defineAdd(user);
  defineInvite(user);
  defineList(user);
  defineShow(user);
  definePasswd(user);
  defineReset(user);
  defineRename(user);
  defineRemove(user);
  defineSessions(user);
  defineAppPasswords(user.command('app-password').description('manage the app passwords of an account'));
}

function define(user: Command, name: string, description: string, example: string, notes = ''): Command {
  return addCommand(user, name, description).addHelpText('after', `${notes}\nExample:\n  podsync user ${example}`);
}

const LOGIN = 'name or e-mail address';

const addPasswordOptions = (command: Command): Command =>
  command
    .addOption(new Option('--password-stdin', 'read the password from standard input').conflicts('generate'))
    .option('--generate', 'generate a strong password and print it');

const ASKS = '\nAsks for the password unless --password-stdin or --generate is given.\n';

function defineAdd(user: Command): void {
  const command = addPasswordOptions(
    define(user, 'add', 'create an account', 'add bob --email bob@example.org', ADD_HELP),
  )
    .argument('<name>', 'user name to log in with')
    .option('--email <address>', 'e-mail address, which can also be used to log in');
  for (const option of ACCOUNT_OPTIONS) command.addOption(option);
  command.action(async (name: string, options) => {
    const config = readConfig(options);
    const { addUser } = await import('./users.ts');
    await addUser(config, { name, ...options });
  });
}

const ADD_HELP = `${ASKS}
On a terminal it also asks for --sync-devices and --private, unless they are given. With --password-stdin or --generate it
asks nothing: each device then has its own list, unless the server runs with --sync-devices, and subscriptions are public.
`;

function defineList(user: Command): void {
  define(user, 'list', 'list all accounts', 'list --json')
    .option('--json', 'print JSON')
    .action(async (options) => {
      const config = readConfig(options);
      const { listUsers } = await import('./users.ts');
      await listUsers(config, options);
    });
}

function defineShow(user: Command): void {
  define(user, 'show', 'show an account: devices, lists and counts', 'show bob')
    .argument('<user>', LOGIN)
    .option('--json', 'print JSON')
    .action(async (name: string, options) => {
      const config = readConfig(options);
      const { showUser } = await import('./users.ts');
      await showUser(config, name, options);
    });
}

function definePasswd(user: Command): void {
  addPasswordOptions(define(user, 'passwd', 'change a password and end all sessions', 'passwd bob', ASKS))
    .argument('<user>', LOGIN)
    .action(async (name: string, options) => {
      const config = readConfig(options);
      const { changePassword } = await import('./users.ts');
      await changePassword(config, name, options);
    });
}

function defineRename(user: Command): void {
  define(user, 'rename', 'rename an account', 'rename bob robert')
    .argument('<user>', LOGIN)
    .argument('<name>', 'new user name')
    .action(async (old: string, name: string, options) => {
      const config = readConfig(options);
      const { renameUser } = await import('./users.ts');
      await renameUser(config, old, name);
    });
}

const REMOVE_HELP = '\nWith --yes it also removes an account whose data is missing or damaged.\n';

function defineRemove(user: Command): void {
  define(user, 'remove', 'remove an account and all its data', 'remove bob', REMOVE_HELP)
    .argument('<user>', LOGIN)
    .option('--yes', 'do not ask for confirmation')
    .action(async (name: string, options) => {
      const config = readConfig(options);
      const { removeUser } = await import('./users.ts');
      await removeUser(config, name, options);
    });
}

function defineSessions(user: Command): void {
  define(user, 'sessions', 'list or end the sessions of an account', 'sessions bob --end')
    .argument('<user>', LOGIN)
    .option('--end', 'end all sessions; apps log in again with their password')
    .option('--json', 'print JSON')
    .action(async (name: string, options) => {
      const config = readConfig(options);
      const { manageSessions } = await import('./users.ts');
      await manageSessions(config, name, options);
    });
}

const LINK_HELP = `
The link works once, for 24 hours, and is the only output on stdout. It begins with --base-url, otherwise with the
address of the running server.
`;

function defineInvite(user: Command): void {
  define(user, 'invite', 'create an account and print a link to choose its password', 'invite bob', LINK_HELP)
    .argument('[name]', 'user name to log in with; if omitted, the person chooses it')
    .option('--email <address>', 'e-mail address, which can also be used to log in')
    .addOption(BASE_URL_OPTION)
    .action(async (name: string | undefined, options) => {
      const config = readConfig(options);
      const { inviteUser } = await import('./password-links.ts');
      await inviteUser(config, name, options);
    });
}

function defineReset(user: Command): void {
  define(user, 'reset', 'print a link to choose a new password', 'reset bob', LINK_HELP)
    .argument('<user>', LOGIN)
    .addOption(BASE_URL_OPTION)
    .action(async (name: string, options) => {
      const config = readConfig(options);
      const { resetPassword } = await import('./password-links.ts');
      await resetPassword(config, name);
    });
}

const example = (command: string): string => `\nExample:\n  podsync user app-password ${command}`;

function defineAppPasswords(group: Command): void {
  addCommand(group, 'add', 'create an app password and print it')
    .argument('<user>', LOGIN)
    .requiredOption('--label <text>', 'what the password is for, such as the name of the app')
    .addHelpText('after', example('add bob --label "AntennaPod on my phone"'))
    .action(async (name: string, options) => {
      const config = readConfig(options);
      const { addAppPassword } = await import('./app-passwords.ts');
      await addAppPassword(config, name, options);
    });
  addCommand(group, 'list', 'list app passwords: label, and when and where each was last used')
    .argument('<user>', LOGIN)
    .option('--json', 'print JSON')
    .addHelpText('after', example('list bob'))
    .action(async (name: string, options) => {
      const config = readConfig(options);
      const { listAppPasswords } = await import('./app-passwords.ts');
      await listAppPasswords(config, name, options);
    });
  addCommand(group, 'revoke', 'revoke an app password')
    .argument('<user>', LOGIN)
    .argument('<id>', 'its id, from `user app-password list`')
    .addHelpText('after', example('revoke bob 4f0c91d2a7be'))
    .action(async (name: string, id: string, options) => {
      const config = readConfig(options);
      const { revokeAppPassword } = await import('./app-passwords.ts');
      await revokeAppPassword(config, name, id);
    });
}
