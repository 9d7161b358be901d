import { type Command, Option } from 'commander';
import { DATA_OPTIONS, KEEP_CREDENTIALS_OPTION, UsageError } from '../config.ts';
import { webAddress } from '../value-types.ts';
import { addCommand, runs } from './command.ts';

/** The commands that import and export subscriptions, accounts and whole storages. */
export function defineTransfer(program: Command): void {
  addCommand(program, 'import-opml', 'subscribe a device to the feeds of an OPML file', {
    examples: ['podsync import-opml podcasts.opml --user bob --device phone'],
  })
    .argument('<file>', 'OPML file, or - for standard input', parseFile('<file>'))
    .requiredOption('--user <user>', 'name or e-mail address')
    .requiredOption('--device <id>', 'device id; created if it does not exist')
    .option('--replace', 'unsubscribe the device from feeds that are not in the file')
    .addOption(KEEP_CREDENTIALS_OPTION)
    .option('--dry-run', 'change nothing, only report what would change')
    .option('--strict', 'exit with 1 if a feed was refused; the others are still imported')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./import-opml.ts')).importOpml));

  addCommand(program, 'export', 'export the subscriptions of an account, or a backup', {
    notes: EXPORT_NOTES,
    examples: [
      'podsync export --user bob --format opml -o podcasts.opml',
      'podsync export --format backup -o podsync.ndjson.gz',
    ],
  })
    .option('--user <user>', 'name or e-mail address; may be repeated for a backup', collect)
    .option('--device <id>', 'only the subscriptions of this device')
    .addOption(
      new Option('--format <format>', 'format of the subscriptions, or backup')
        .choices(['opml', 'json', 'txt', 'backup'])
        .default('opml'),
    )
    .option(
      '-o, --output <file>',
      'file to write, replaced only by a complete export; - is standard output',
      parseFile('--output'),
      '-',
    )
    .option('--no-passwords', 'omit password hashes, app passwords and sessions from a backup')
    .action(runs(async () => (await import('./export.ts')).exportData));

  addCommand(program, 'import', 'restore accounts from a backup', {
    notes: IMPORT_NOTES,
    examples: ['podsync import podsync.ndjson.gz', 'podsync import bob.ndjson --as robert'],
  })
    .argument('<file>', 'backup written by `podsync export --format backup`', parseFile('<file>'))
    .option(
      '--as <name>',
      'import the only account of the backup under this name, without its e-mail address, sessions and app passwords',
    )
    .option('--dry-run', 'change nothing, only report what would change')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./import.ts')).importBackup));

  addCommand(program, 'migrate', 'copy everything from one storage to another', {
    options: DATA_OPTIONS,
    notes: MIGRATE_NOTES,
    examples: ['podsync migrate --data ./podsync-data --from json --to sqlite:podsync.db'],
  })
    .requiredOption('--from <storage>', 'source, as with --storage; stop the server first')
    .requiredOption('--to <storage>', 'target, as with --storage; must be empty')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./migrate.ts')).migrateStorage));

  addCommand(program, 'pull', 'import an account from another gpodder-compatible server', {
    notes: PULL_NOTES,
    examples: ['podsync pull https://gpodder.net --user bob --remote-user bob1987'],
  })
    .argument('<url>', 'address of the other server, such as gpodder.net', parseAddress)
    .requiredOption('--user <user>', 'name or e-mail address of an existing account on this server')
    .option('--remote-user <name>', 'user name on the other server, if it differs')
    .option('--password-stdin', 'read the password on the other server from standard input')
    .option('--nextcloud', 'the other server is a Nextcloud with the app GPodder Sync')
    .addOption(KEEP_CREDENTIALS_OPTION)
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./pull.ts')).pull));
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** An empty name is usually a variable of the shell that is not set. */
const parseFile =
  (option: string) =>
  (given: string): string => {
    if (given === '') throw new UsageError(`${option} must be the name of a file`);
    return given;
  };

function parseAddress(given: string): string {
  const address = webAddress.read(/^[a-z][a-z\d+.-]*:\/\//i.test(given) ? given : `https://${given}`);
  if (address === undefined) throw new UsageError(`<url> must be ${webAddress.description}`);
  return address;
}

const EXPORT_NOTES = `A backup contains all data of the accounts: devices, subscriptions, episode
actions, settings, lists, sessions, app passwords and password hashes. Without
--user it contains all accounts and the directory. The server can keep running.
The file is compressed if its name ends in .gz. \`podsync import\` restores it
into any storage. Files are created with mode 0600.`;

const IMPORT_NOTES = `The whole file is checked first; if it is incomplete or was altered, nothing is
changed. Each account is imported completely or not at all. Existing accounts
are skipped, and the exit code is then 1. If an import is interrupted, run it
again to import the rest. Apps continue where they were. If the backup has no
passwords, set them with \`podsync user passwd\`. The directory is merged with the
existing one; of each feed, the newer version is kept.`;

const MIGRATE_NOTES = `Storages are named as with --storage: json, json:FOLDER, sqlite:FILE,
postgres://...; FOLDER and FILE are relative to the data folder. At the end both
storages are compared record by record, and from then on the data folder uses the
target. If the command fails or is interrupted, it empties the target again. If it
is killed, as by a second signal, the target holds an incomplete copy: delete it,
or choose another target. The source is never changed.`;

const PULL_NOTES = `Asks for the password on the other server unless --password-stdin is given. Adds
devices, subscriptions, episode actions, settings and podcast lists to the
account on this server. Run it again to import what is new; nothing is
duplicated. With --nextcloud it prints a link where you grant access, unless
--password-stdin is given. Other servers do not provide passwords, former
subscriptions, or settings of episodes that are not favourites.`;
