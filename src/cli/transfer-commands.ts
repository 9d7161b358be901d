import { type Command, Option } from 'commander';
import { DATA_OPTION, KEEP_CREDENTIALS_OPTION, readConfig, UsageError } from '../config.ts';
import { addCommand } from './command.ts';

/** The commands that take subscriptions, accounts and everything in and out. */
export function defineTransfer(program: Command): void {
  defineImportOpml(program);
  defineExport(program);
  defineImport(program);
  defineMigrate(program);
}

function defineImportOpml(program: Command): void {
  addCommand(program, 'import-opml', 'subscribe a device to the feeds of an OPML file')
    .argument('<file>', 'OPML file, or - for standard input')
    .requiredOption('--user <user>', 'name or e-mail address')
    .requiredOption('--device <id>', 'device; made where it is missing')
    .option('--replace', 'unsubscribe the device from all that is not in the file')
    .addOption(KEEP_CREDENTIALS_OPTION)
    .option('--dry-run', 'change nothing, only print what would be')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  podsync import-opml podcasts.opml --user bob --device phone')
    .action(async (file: string, options) => {
      const config = readConfig(options);
      const { importOpml } = await import('./opml-import.ts');
      await importOpml(config, file, options);
    });
}

function defineExport(program: Command): void {
  addCommand(program, 'export', 'write the subscriptions of an account, or a backup')
    .option('--user <user>', 'name or e-mail address; for a backup any number of them', collect)
    .option('--device <id>', 'subscriptions of this device alone')
    .addOption(new Option('--format <format>', 'of the list, or backup').choices([...LISTS, 'backup']).default('opml'))
    .option('-o, --output <file>', 'write a file, and only when it is complete; - is standard output')
    .option('--no-passwords', 'leave the hashes of passwords, and the sessions, out of a backup')
    .addHelpText('after', EXPORT_HELP)
    .action(async (options: ExportFlags) => {
      const config = readConfig(options);
      const { user: users = [], format, device, passwords, output } = options;
      const place = { ...(output !== undefined && output !== '-' && { output }) };
      if (format === 'backup') {
        if (device !== undefined) throw new UsageError('--device is for lists; a backup is of whole accounts');
        const { exportBackup } = await import('./backup-export.ts');
        return exportBackup(config, { users, passwords, ...place });
      }
      const [user] = users;
      if (user === undefined) throw new UsageError("required option '--user <user>' not specified");
      if (users.length > 1) throw new UsageError('a list is of one account; give --user once');
      if (!passwords) throw new UsageError('--no-passwords is for --format backup; there are none in a list');
      const { exportSubscriptions } = await import('./subscription-export.ts');
      await exportSubscriptions(config, { user, format, ...(device !== undefined && { device }), ...place });
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
A backup has everything of the accounts: devices, subscriptions, episode actions, settings, lists, sessions and the hashes
of passwords. Without --user it is of all accounts, and has the directory, too. The server may run meanwhile. A backup is
packed where its name ends in .gz. \`podsync import\` restores it, into any storage. Every file has mode 0600.

Examples:
  podsync export --user bob --format opml -o podcasts.opml
  podsync export --format backup -o podsync.ndjson.gz`;

function defineImport(program: Command): void {
  addCommand(program, 'import', 'restore accounts from a backup')
    .argument('<file>', 'what `podsync export --format backup` has written')
    .option('--as <name>', 'give the one account of the backup this name; its e-mail address and sessions are left out')
    .option('--dry-run', 'change nothing, only print what would be')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', IMPORT_HELP)
    .action(async (file: string, options) => {
      const config = readConfig(options);
      const { importBackup } = await import('./backup-import.ts');
      await importBackup(config, file, options);
    });
}

const IMPORT_HELP = `
All of the file is read first, and where it was cut off or altered nothing is changed. Each account comes whole or not at
all. One that is there already is left as it is, and the exit code is 1: where an import was stopped, the same command
once more brings the rest. Apps go on where they were. Without passwords in the backup nobody can log in until
\`podsync user passwd\`. The directory is added to the one that is there; what was read of a feed later counts.

Examples:
  podsync import podsync.ndjson.gz
  podsync import bob.ndjson --as robert`;

function defineMigrate(program: Command): void {
  addCommand(program, 'migrate', 'copy everything from one storage to another', [DATA_OPTION])
    .requiredOption('--from <storage>', 'plugin and place of the source, as with --storage; stop the server first')
    .requiredOption('--to <storage>', 'plugin and place of the target, which must be empty')
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', MIGRATE_HELP)
    .action(async (options) => {
      const config = readConfig(options);
      const { migrateStorage } = await import('./migrate.ts');
      await migrateStorage(config, options);
    });
}

const MIGRATE_HELP = `
Storages are named as with --storage: json, json:FOLDER, sqlite:FILE, postgres://...; FOLDER and FILE are in the data
folder unless they begin with /. Both storages are compared line for line at the end. Where anything goes wrong, and when
it is stopped, the target is emptied again; a second signal ends it at once, and then the target is not to be used. The
source is never changed.

Example:
  podsync migrate --data ./podsync-data --from json --to sqlite:podsync.db`;
