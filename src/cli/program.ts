import { Command, Option } from 'commander';
import manifest from 'podsync/package.json' with { type: 'json' };
import { FETCH_OPTIONS, readConfig, SERVER_OPTIONS, STORAGE_OPTIONS, UsageError } from '../config.ts';
import { addCommand } from './command.ts';
import { defineCompletion } from './completion/command.ts';
import { definePull } from './pull-command.ts';
import { defineTransfer } from './transfer-commands.ts';
import { defineUser } from './user-commands.ts';

/** All commands and their options. What a command does is loaded when it is run: `--version` and `--help` are quick. */
export function createProgram(): Command {
  const program = new Command('podsync')
    .description(manifest.description)
    .version(manifest.version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .configureOutput({ outputError: () => undefined }) // `main` says it
    .exitOverride();
  defineServe(program);
  defineUser(program.command('user').description('manage the accounts'));
  defineTransfer(program);
  definePull(program);
  defineFeeds(program.command('feeds').description('read podcast feeds'));
  defineToplist(program.command('toplist').description('keep the toplist'));
  defineCheck(program);
  defineCompletion(program);
  for (const group of [program, ...program.commands]) if (group.commands.length > 0) defineHelp(group);
  return program;
}

/** In place of commander's own, which knows commands of one word alone, and does not say that one is unknown. */
function defineHelp(group: Command): void {
  group
    .helpCommand(false)
    .command('help')
    .description('print the help of a command')
    .argument('[command...]', 'which one; all of them unless given')
    .action((names: readonly string[]) => {
      let command: Command | undefined = group;
      for (const name of names) {
        command = command.commands.find((each) => each.name() === name);
        if (!command) throw new UsageError(`unknown command '${name}'`);
      }
      command.outputHelp();
    });
}

function defineServe(program: Command): void {
  addCommand(program, 'serve', 'run the server', [...STORAGE_OPTIONS, ...SERVER_OPTIONS, ...FETCH_OPTIONS])
    .addHelpText('after', '\nExample:\n  podsync serve --data /var/lib/podsync --base-url https://pods.example.org')
    .action(async (options) => {
      const config = readConfig(options);
      const { serve } = await import('./serve.ts');
      await serve(config);
    });
}

function defineFeeds(feeds: Command): void {
  addCommand(feeds, 'update', 'read the feeds that are due', [...STORAGE_OPTIONS, ...FETCH_OPTIONS])
    .addOption(new Option('--url <url>', 'read this one').conflicts('all'))
    .option('--all', 'read every one but those that are gone')
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      '\nWhere a server runs, it reads them, by its own options.\n\nExample:\n  podsync feeds update --all',
    )
    .action(async (options) => {
      const config = readConfig(options);
      const { updateFeeds } = await import('./feeds-update.ts');
      await updateFeeds(config, options);
    });

  addCommand(feeds, 'list', 'show how the reading of feeds goes')
    .option('--failed', 'only those that could not be read')
    .option('--json', 'print them as JSON')
    .addHelpText('after', '\nExample:\n  podsync feeds list --failed')
    .action(async (options) => {
      const config = readConfig(options);
      const { listFeeds } = await import('./feeds-list.ts');
      await listFeeds(config, options);
    });
}

function defineToplist(toplist: Command): void {
  addCommand(toplist, 'rebuild', 'count the subscribers of all podcasts again')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  podsync toplist rebuild')
    .action(async (options) => {
      const config = readConfig(options);
      const { rebuildToplist } = await import('./toplist-rebuild.ts');
      await rebuildToplist(config, options);
    });
}

function defineCheck(program: Command): void {
  addCommand(program, 'check', 'read everything that is stored, and tell what is damaged')
    .option('--repair', 'put right what can be: subscribers that are counted wrong; a backup comes first')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nThe exit code is 1 where there is damage that was not repaired. The backup is put into the data folder, as\n' +
        'before-repair-TIME.ndjson.gz. Accounts that cannot be read are not touched.\n\nExample:\n  podsync check --repair',
    )
    .action(async (options) => {
      const config = readConfig(options);
      const { check } = await import('./check.ts');
      await check(config, options);
    });
}
