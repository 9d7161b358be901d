import { Argument, Command, Option } from 'commander';
import manifest from 'podsync/package.json' with { type: 'json' };
import { FETCH_OPTIONS, SERVE_OPTIONS, STORAGE_OPTIONS, UsageError } from '../config.ts';
import { addCommand, runs } from './command.ts';
import type { Shell } from './completion/script.ts';
import { defineTransfer } from './transfer-commands.ts';
import { defineUser } from './user-commands.ts';

/** All commands and their options. */
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
  for (const group of groupsIn(program)) {
    group.usage('<command> [options]'); // commander would put the options first, where they are unknown
    defineHelp(group);
    // Instead of commander's suggestion of what is spelled alike: `user reset` for `user delete`.
    group.on('command:*', ([name]: [string]) => {
      throw unknownCommand(name, group);
    });
  }
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
      let command = group;
      for (const name of names) {
        const found = command.commands.find((each) => each.name() === name);
        if (!found) throw unknownCommand(name, command);
        command = found;
      }
      command.outputHelp();
    });
}

function unknownCommand(given: string, { commands }: Command): UsageError {
  const names = commands.map((each) => each.name());
  return new UsageError(`unknown command '${given}'${names.length > 0 ? `; use one of ${names.join(', ')}` : ''}`);
}

function defineServe(program: Command): void {
  addCommand(program, 'serve', 'run the server', {
    options: SERVE_OPTIONS,
    examples: ['podsync serve --data /var/lib/podsync --base-url https://pods.example.org'],
  }).action(runs(async () => (await import('./server/serve.ts')).serve));
}

function defineFeeds(feeds: Command): void {
  addCommand(feeds, 'update', 'update the feeds that are due', {
    options: [...STORAGE_OPTIONS, ...FETCH_OPTIONS],
    notes: 'A running server executes the command, with its own options.',
    examples: ['podsync feeds update --all'],
  })
    .addOption(new Option('--url <url>', 'update only this feed').conflicts('all'))
    .option('--all', 'update all feeds, except those that are gone')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./feeds.ts')).updateFeeds));

  addCommand(feeds, 'list', 'show all feeds: state, next update, title and last error', {
    examples: ['podsync feeds list --failed'],
  })
    .option('--failed', 'only feeds that could not be read')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./feeds.ts')).listFeeds));
}

function defineToplist(toplist: Command): void {
  addCommand(toplist, 'rebuild', 'recount the subscribers of all podcasts', { examples: ['podsync toplist rebuild'] })
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./feeds.ts')).rebuildToplist));
}

function defineCheck(program: Command): void {
  addCommand(program, 'check', 'read all stored data and report damage', {
    notes: CHECK_NOTES,
    examples: ['podsync check --repair'],
  })
    .option('--repair', 'repair wrong subscriber counts, after writing a backup')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./check.ts')).check));
}

const CHECK_NOTES = `Exits with 1 if there is damage that was not repaired. The backup goes to the
data folder, as before-repair-TIME.ndjson.gz. Accounts that cannot be read are
not changed.`;

function defineConfig(program: Command): void {
  addCommand(program, 'config', 'print the configuration that `serve` would use, and the source of each value', {
    options: SERVE_OPTIONS,
    notes: CONFIG_NOTES,
    examples: ['podsync config --config /etc/podsync.json'],
  })
    .option('--json', 'print JSON')
    .action(async (options, command: Command) => {
      const { showConfig } = await import('./settings/show-config.ts');
      showConfig(command, options);
    });
}

const CONFIG_NOTES = `A flag takes precedence over its variable, a variable over the config file, and
the file over the default. Passwords and the token of the metrics are not shown.`;

function defineCompletion(program: Command): void {
  addCommand(program, 'completion', 'print a script that completes commands and options in a shell', {
    options: [],
    notes: COMPLETION_NOTES,
    examples: ['podsync completion bash > ~/.local/share/bash-completion/completions/podsync'],
  })
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell) => {
      const { printCompletion } = await import('./completion/script.ts');
      printCompletion(program, shell);
    });
}

const COMPLETION_NOTES = `Where shells look for it:
  bash  ~/.local/share/bash-completion/completions/podsync
  zsh   a folder of $fpath, as _podsync
  fish  ~/.config/fish/completions/podsync.fish`;
