import { Command, Option } from 'commander';
import manifest from 'podsync/package.json' with { type: 'json' };
import { FETCH_OPTIONS, readConfig, SERVE_OPTIONS, STORAGE_OPTIONS, UsageError } from '../config.ts';
import { addCommand } from './command.ts';
import { defineCompletion } from './completion/command.ts';
import { defineTransfer } from './transfer-commands.ts';
import { defineUser } from './user-commands.ts';

/** All commands and their options. The code of a command is loaded when it runs: `--version` and `--help` are quick. */
export function createProgram(): Command {
  const program = new Command('podsync')
    .description(manifest.description)
    .version(manifest.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .configureOutput({ outputError: () => undefined }) // `main` prints it
    .exitOverride();
  defineServe(program);
  defineUser(program.command('user').description('manage accounts'));
  defineTransfer(program);
  defineFeeds(program.command('feeds').description('update and list podcast feeds'));
  defineToplist(program.command('toplist').description('maintain the toplist'));
  defineCheck(program);
  defineConfig(program);
  defineCompletion(program);
  for (const group of groupsIn(program)) defineHelp(group);
  return program.hook('preAction', async (_program, command) => {
    const { completeOptions } = await import('./settings/option-sources.ts');
    await completeOptions(command);
  });
}

/** The command and all its descendants that have subcommands. */
const groupsIn = (command: Command): Command[] =>
  command.commands.length === 0 ? [] : [command, ...command.commands.flatMap(groupsIn)];

/** Replaces commander's `help`, which finds only top-level commands, and ignores unknown ones. */
function defineHelp(group: Command): void {
  group
    .helpCommand(false)
    .command('help')
    .description('print the help of a command')
    .argument('[command...]', 'the command; all of them if omitted')
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
  addCommand(program, 'serve', 'run the server', SERVE_OPTIONS)
    .addHelpText('after', '\nExample:\n  podsync serve --data /var/lib/podsync --base-url https://pods.example.org')
    .action(async (options) => {
      const config = readConfig(options);
      const { serve } = await import('./server/serve.ts');
      await serve(config);
    });
}

function defineFeeds(feeds: Command): void {
  addCommand(feeds, 'update', 'update the feeds that are due', [...STORAGE_OPTIONS, ...FETCH_OPTIONS])
    .addOption(new Option('--url <url>', 'update only this feed').conflicts('all'))
    .option('--all', 'update all feeds, except deleted ones')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nA running server executes the command, with its own options.\n\nExample:\n  podsync feeds update --all',
    )
    .action(async (options) => {
      const config = readConfig(options);
      const { updateFeeds } = await import('./feeds.ts');
      await updateFeeds(config, options);
    });

  addCommand(feeds, 'list', 'show all feeds: state, next update, title and last error')
    .option('--failed', 'only feeds that could not be read')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  podsync feeds list --failed')
    .action(async (options) => {
      const config = readConfig(options);
      const { listFeeds } = await import('./feeds.ts');
      await listFeeds(config, options);
    });
}

function defineToplist(toplist: Command): void {
  addCommand(toplist, 'rebuild', 'recount the subscribers of all podcasts')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  podsync toplist rebuild')
    .action(async (options) => {
      const config = readConfig(options);
      const { rebuildToplist } = await import('./feeds.ts');
      await rebuildToplist(config, options);
    });
}

function defineCheck(program: Command): void {
  addCommand(program, 'check', 'read all stored data and report damage')
    .option('--repair', 'repair wrong subscriber counts, after writing a backup')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExits with 1 if there is damage that was not repaired. The backup goes to the data folder, as\n' +
        'before-repair-TIME.ndjson.gz. Accounts that cannot be read are not changed.\n\nExample:\n  podsync check --repair',
    )
    .action(async (options) => {
      const config = readConfig(options);
      const { check } = await import('./check.ts');
      await check(config, options);
    });
}

function defineConfig(program: Command): void {
  addCommand(
    program,
    'config',
    'print the configuration that `serve` would use, and the source of each value',
    SERVE_OPTIONS,
  )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nA flag takes precedence over its variable, then the config file, then the default. Passwords are not shown.\n\n' +
        'Example:\n  podsync config --config /etc/podsync.json',
    )
    .action(async (options, command: Command) => {
      const { showConfig } = await import('./settings/show-config.ts');
      showConfig(command, options);
    });
}
