import { type Command, Option } from 'commander';
import { DATA_OPTIONS, KEEP_CREDENTIALS_OPTION, readConfig, UsageError, webAddress } from '../config.ts';
import { addCommand } from './command.ts';

/** The commands that import and export subscriptions, accounts and whole storages. */
export function defineTransfer(program: Command): void {
  defineImportOpml(program);
  defineExport(program);
  defineImport(program);
  defineMigrate(program);
  definePull(program);
}

function defineImportOpml(program: Command): void {
  addCommand(program, 'import-opml', 'subscribe a device to the feeds of an OPML file')
    .argument('<file>', 'OPML file, or - for standard input')
    .requiredOption('--user <user>', 'name or e-mail address')
    .requiredOption('--device <id>', 'device id; created if it does not exist')
    .option('--replace', 'unsubscribe the device from feeds that are not in the file')
    .addOption(KEEP_CREDENTIALS_OPTION)
    .option('--dry-run', 'change nothing, only report what would change')
    .option('--strict', 'exit with 1 if a feed was refused; the others are still imported')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  podsync import-opml podcasts.opml --user bob --device phone')
    .action(async (file: string, options) => {
      const config = readConfig(options);
      const { importOpml } = await import('./import-opml.ts');
      await importOpml(config, file, options);
    });
}

function defineExport(program: Command): void {
  addCommand(program, 'export', 'export the subscriptions of an account, or a backup')
    .option('--user <user>', 'name or e-mail address; may be repeated for a backup', collect)
    .option('--device <id>', 'only the subscriptions of this device')
    .addOption(
      new Option('--format <format>', 'format of the list, or backup').choices([...LISTS, 'backup']).default('opml'),
    )
    .option('-o, --output <file>', 'file to write, replaced only by a complete export; - is standard output')
    .option('--no-passwords', 'omit password hashes and sessions from a backup')
    .addHelpText('after', EXPORT_HELP)
    .action(async (options: ExportFlags) => {
      const config = readConfig(options);
      const { user: users = [], format, device, passwords, output } = options;
      const target = { ...(output !== undefined && output !== '-' && { output }) };
      if (format === 'backup') {
        if (device !== undefined) throw new UsageError('--device is only for lists; a backup has whole accounts');
        const { exportBackup } = await import('./export.ts');
        return exportBackup(config, { users, passwords, ...target });
      }
      const [user] = users;
      if (user === undefined) throw new UsageError("required option '--user <user>' not specified");
      if (users.length > 1) throw new UsageError('a list is of one account; give --user once');
      if (!passwords) throw new UsageError('--no-passwords is only for --format backup; a list has no passwords');
      const { exportSubscriptions } = await import('./export.ts');
      await exportSubscriptions(config, { user, format, ...(device !== undefined && { device }), ...target });
    });
}

const LISTS = ['opml', 'json', 'txt'] as const;

interface ExportFlags {
  user?: string[];
  device?: string;
  format: (typeof LISTS)[number] | 'backup';
  output?: string;
  passwords: boolean;
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

const EXPORT_HELP = `
A backup contains all data of the accounts: devices, subscriptions, episode actions, settings, lists, sessions and password
hashes. Without --user it contains all accounts and the directory. The server can keep running. The file is compressed if
its name ends in .gz. \`podsync import\` restores it into any storage. Files are created with mode 0600.

Examples:
  podsync export --user bob --format opml -o podcasts.opml
  podsync export --format backup -o podsync.ndjson.gz`;

function defineImport(program: Command): void {
  addCommand(program, 'import', 'restore accounts from a backup')
    .argument('<file>', 'backup written by `podsync export --format backup`')
    .option(
      '--as <name>',
      'import the only account of the backup under this name, without its e-mail address and sessions',
    )
    .option('--dry-run', 'change nothing, only report what would change')
    .option('--json', 'print JSON')
    .addHelpText('after', IMPORT_HELP)
    .action(async (file: string, options) => {
      const config = readConfig(options);
      const { importBackup } = await import('./import.ts');
      await importBackup(config, file, options);
    });
}

const IMPORT_HELP = `
The whole file is checked first; if it is incomplete or was altered, nothing is changed. Each account is imported completely
or not at all. Existing accounts are skipped, and the exit code is then 1. If an import is interrupted, run it again to
import the rest. Apps continue where they were. If the backup has no passwords, set them with \`podsync user passwd\`.
The directory is merged with the existing one; of each feed, the newer version is kept.

Examples:
  podsync import podsync.ndjson.gz
  podsync import bob.ndjson --as robert`;

function defineMigrate(program: Command): void {
  addCommand(program, 'migrate', 'copy everything from one storage to another', DATA_OPTIONS)
    .requiredOption('--from <storage>', 'source, as with --storage; stop the server first')
    .requiredOption('--to <storage>', 'target, as with --storage; must be empty')
    .option('--json', 'print JSON')
    .addHelpText('after', MIGRATE_HELP)
    .action(async (options) => {
      const config = readConfig(options);
      const { migrateStorage } = await import('./migrate.ts');
      await migrateStorage(config, options);
    });
}

const MIGRATE_HELP = `
Storages are named as with --storage: json, json:FOLDER, sqlite:FILE, postgres://...; FOLDER and FILE are relative to the
data folder. At the end both storages are compared record by record. If the command fails or is interrupted, it empties the
target again. If it is killed, as by a second signal, the target holds an incomplete copy: delete it, or choose another
target. The source is never changed.

Example:
  podsync migrate --data ./podsync-data --from json --to sqlite:podsync.db`;

function definePull(program: Command): void {
  addCommand(program, 'pull', 'import an account from another gpodder-compatible server')
    .argument('<url>', 'address of the other server, such as gpodder.net', parseAddress)
    .requiredOption('--user <user>', 'name or e-mail address of an existing account on this server')
    .option('--remote-user <name>', 'account name on the other server, if it differs')
    .option('--password-stdin', 'read the password on the other server from standard input')
    .option('--nextcloud', 'the other server is a Nextcloud with the app GPodder Sync')
    .addOption(KEEP_CREDENTIALS_OPTION)
    .option('--json', 'print JSON')
    .addHelpText('after', PULL_HELP)
    .action(async (address: string, options) => {
      const config = readConfig(options);
      const { pull } = await import('./pull.ts');
      await pull(config, address, options);
    });
}

function parseAddress(given: string): string {
  const address = webAddress.read(/^[a-z][a-z\d+.-]*:\/\//i.test(given) ? given : `https://${given}`);
  if (address === undefined) throw new UsageError(`<url> must be ${webAddress.description}`);
  return address;
}

const PULL_HELP = `
Asks for the password on the other server unless --password-stdin is given. Adds devices, subscriptions, episode actions,
settings and podcast lists to the account on this server. Run it again to import what is new; nothing is duplicated.
With --nextcloud it prints a link where you grant access, unless --password-stdin is given.
Other servers do not provide passwords, former subscriptions, or settings of episodes that are not favorites.

Example:
  podsync pull https://gpodder.net --user bob --remote-user bob1987`;
