import { type Command, Option } from 'commander';
import { ACCOUNT_OPTIONS, readConfig } from '../config.ts';
import { addCommand } from './command.ts';

/** The commands about accounts. */
export function defineUser(user: Command): void {
  defineAdd(user);
  defineList(user);
  defineShow(user);
  definePasswd(user);
  defineRename(user);
  defineRemove(user);
  defineSessions(user);
}

function define(user: Command, name: string, description: string, example: string): Command {
  return addCommand(user, name, description).addHelpText('after', `\nExample:\n  podsync user ${example}`);
}

const WHO = 'name or e-mail address';

const takePassword = (command: Command): Command =>
  command
    .addOption(new Option('--password-stdin', 'read the password from standard input').conflicts('generate'))
    .option('--generate', 'make a strong password and print it')
    .addHelpText('after', '\nThe password is asked for unless one of --password-stdin and --generate is given.');

function defineAdd(user: Command): void {
  const command = takePassword(define(user, 'add', 'create an account', 'add bob --email bob@example.org'))
    .argument('<name>', 'what the user logs in with')
    .option('--email <address>', 'can also be used to log in');
  for (const option of ACCOUNT_OPTIONS) command.addOption(option);
  command.addHelpText('after', ADD_HELP).action(async (name: string, options) => {
    const config = readConfig(options);
    const { addUser } = await import('./user-add.ts');
    await addUser(config, { name, ...options });
  });
}

const ADD_HELP = `
With a password that is typed in, \`user add\` also asks for --sync-devices and --private unless they are given. With
--password-stdin or --generate nothing is asked: each device then has its own list unless the server runs with
--sync-devices, and subscriptions are public.`;

function defineList(user: Command): void {
  define(user, 'list', 'show all accounts', 'list --json')
    .option('--json', 'print them as JSON')
    .action(async (options) => {
      const config = readConfig(options);
      const { listUsers } = await import('./user-read.ts');
      await listUsers(config, options);
    });
}

function defineShow(user: Command): void {
  define(user, 'show', 'show what an account has', 'show bob')
    .argument('<user>', WHO)
    .option('--json', 'print it as JSON')
    .action(async (name: string, options) => {
      const config = readConfig(options);
      const { showUser } = await import('./user-read.ts');
      await showUser(config, name, options);
    });
}

function definePasswd(user: Command): void {
  takePassword(define(user, 'passwd', 'change a password, and end all sessions', 'passwd bob'))
    .argument('<user>', WHO)
    .action(async (name: string, options) => {
      const config = readConfig(options);
      const { changePassword } = await import('./user-change.ts');
      await changePassword(config, name, options);
    });
}

function defineRename(user: Command): void {
  define(user, 'rename', 'give an account another name', 'rename bob robert')
    .argument('<user>', WHO)
    .argument('<name>', 'what the user logs in with from now on')
    .action(async (old: string, name: string, options) => {
      const config = readConfig(options);
      const { renameUser } = await import('./user-change.ts');
      await renameUser(config, old, name);
    });
}

function defineRemove(user: Command): void {
  define(user, 'remove', 'remove an account and all that belongs to it', 'remove bob')
    .argument('<user>', WHO)
    .option('--yes', 'do not ask')
    .action(async (name: string, options) => {
      const config = readConfig(options);
      const { removeUser } = await import('./user-change.ts');
      await removeUser(config, name, options);
    });
}

function defineSessions(user: Command): void {
  define(user, 'sessions', 'show the sessions of an account', 'sessions bob --end')
    .argument('<user>', WHO)
    .option('--end', 'end them all; apps log in again with their password')
    .option('--json', 'print the result as JSON')
    .action(async (name: string, options) => {
      const config = readConfig(options);
      const { manageSessions } = await import('./user-sessions.ts');
      await manageSessions(config, name, options);
    });
}
