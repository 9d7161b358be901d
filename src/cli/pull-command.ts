import type { Command } from 'commander';
import { KEEP_CREDENTIALS_OPTION, readConfig, UsageError, webAddress } from '../config.ts';
import { addCommand } from './command.ts';

/** The command that takes an account over from another server. */
export function definePull(program: Command): void {
  addCommand(program, 'pull', 'take an account over from another gpodder-compatible server')
    .argument('<url>', 'address of the other server, such as gpodder.net', parseAddress)
    .requiredOption('--user <user>', 'name or e-mail address of the account here, which must exist')
    .option('--remote-user <name>', 'name of the account there; the same unless given')
    .option('--password-stdin', 'read the password there from standard input')
    .addOption(KEEP_CREDENTIALS_OPTION)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action(async (address: string, options) => {
      const config = readConfig(options);
      const { pull } = await import('./pull.ts');
      await pull(config, address, options);
    });
}

const HELP = `
The password there is asked for unless --password-stdin is given. Devices, subscriptions, episode actions, settings and
podcast lists are added to what the account here has; run again, it takes what is new and doubles nothing. No server
gives out passwords, settings of episodes that are not favorites, or past subscriptions.

Example:
  podsync pull https://gpodder.net --user bob --remote-user bob1987`;

function parseAddress(given: string): string {
  const address = webAddress.read(/^[a-z][a-z\d+.-]*:\/\//i.test(given) ? given : `https://${given}`);
  if (address === undefined) throw new UsageError(`<url> must be ${webAddress.words}`);
  return address;
}
