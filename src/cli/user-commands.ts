import { type Command, Option } from 'commander';
import { ACCOUNT_OPTIONS, BASE_URL_OPTION, STORAGE_OPTIONS } from '../config.ts';
import { addCommand, runs } from './command.ts';

const LOGIN = 'name or e-mail address';
const NEW_NAME = 'user name to log in with';

const PASSWORD_OPTIONS: readonly Option[] = [
  new Option('--password-stdin', 'read the password from standard input').conflicts('generate'),
  new Option('--generate', 'generate a strong password and print it'),
];

/** The commands for accounts. */
export function defineUser(user: Command): void {
  addCommand(user, 'add', 'create an account', {
    options: [...STORAGE_OPTIONS, ...PASSWORD_OPTIONS, ...ACCOUNT_OPTIONS],
    notes: ADD_NOTES,
    examples: ['podsync user add bob --email bob@example.org'],
  })
    .argument('<name>', NEW_NAME)
    .option('--email <address>', 'e-mail address, which can also be used to log in')
    .action(runs(async () => (await import('./users.ts')).addUser));

  addCommand(user, 'invite', 'create an account and print a link to choose its password', {
    options: [...STORAGE_OPTIONS, BASE_URL_OPTION],
    notes: LINK_NOTES,
    examples: ['podsync user invite bob'],
  })
    .argument('[name]', `${NEW_NAME}; if omitted, the person chooses it`)
    .option('--email <address>', 'e-mail address, which can also be used to log in')
    .action(runs(async () => (await import('./password-links.ts')).inviteUser));

  addCommand(user, 'list', 'list all accounts', { examples: ['podsync user list --json'] })
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./users.ts')).listUsers));

  addCommand(user, 'show', 'show an account: devices, lists and counts', { examples: ['podsync user show bob'] })
    .argument('<user>', LOGIN)
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./users.ts')).showUser));

  addCommand(user, 'passwd', 'change a password and end all sessions', {
    options: [...STORAGE_OPTIONS, ...PASSWORD_OPTIONS],
    notes: PASSWORD_NOTES,
    examples: ['podsync user passwd bob'],
  })
    .argument('<user>', LOGIN)
    .action(runs(async () => (await import('./users.ts')).changePassword));

  addCommand(user, 'reset', 'print a link to choose a new password', {
    options: [...STORAGE_OPTIONS, BASE_URL_OPTION],
    notes: LINK_NOTES,
    examples: ['podsync user reset bob'],
  })
    .argument('<user>', LOGIN)
    .action(runs(async () => (await import('./password-links.ts')).resetPassword));

  addCommand(user, 'rename', 'rename an account', { examples: ['podsync user rename bob robert'] })
    .argument('<user>', LOGIN)
    .argument('<name>', 'new user name')
    .action(runs(async () => (await import('./users.ts')).renameUser));

  addCommand(user, 'remove', 'remove an account and all its data', {
    notes: 'With --yes it also removes an account whose data is missing or damaged.',
    examples: ['podsync user remove bob'],
  })
    .argument('<user>', LOGIN)
    .option('--yes', 'do not ask for confirmation')
    .action(runs(async () => (await import('./users.ts')).removeUser));

  addCommand(user, 'sessions', 'list or end the sessions of an account', {
    examples: ['podsync user sessions bob --end'],
  })
    .argument('<user>', LOGIN)
    .option('--end', 'end all sessions; apps log in again with their password')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./users.ts')).manageSessions));

  defineAppPasswords(user.command('app-password').description('manage the app passwords of an account'));
}

function defineAppPasswords(group: Command): void {
  addCommand(group, 'add', 'create an app password and print it', {
    examples: ['podsync user app-password add bob --label "AntennaPod on my phone"'],
  })
    .argument('<user>', LOGIN)
    .requiredOption('--label <text>', 'what the password is for, such as the name of the app')
    .action(runs(async () => (await import('./app-passwords.ts')).addAppPassword));

  addCommand(group, 'list', 'list app passwords: label, and when and where each was last used', {
    examples: ['podsync user app-password list bob'],
  })
    .argument('<user>', LOGIN)
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./app-passwords.ts')).listAppPasswords));

  addCommand(group, 'revoke', 'revoke an app password', {
    examples: ['podsync user app-password revoke bob 4f0c91d2a7be'],
  })
    .argument('<user>', LOGIN)
    .argument('<id>', 'its id, from `user app-password list`')
    .action(runs(async () => (await import('./app-passwords.ts')).revokeAppPassword));
}

const PASSWORD_NOTES = 'Asks for the password unless --password-stdin or --generate is given.';

const ADD_NOTES = `${PASSWORD_NOTES}

On a terminal it also asks for --sync-devices and --private, unless they are
given. With --password-stdin or --generate it asks nothing: each device then has
its own list, unless the server runs with --sync-devices, and subscriptions are
public.`;

const LINK_NOTES = `The link works once, for 24 hours, and is all that is written to standard
output. It begins with --base-url, otherwise with the address of the running
server. If none is running, it begins with the default address.`;
