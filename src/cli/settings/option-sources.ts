import { resolve } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../../config.ts';
import { configFileIn, readConfigFile } from './config-file.ts';
import { readStorageRecord, recordIn } from './storage-record.ts';

/**
 * Completes the options of a command from the config file and the storage record of its data folder. Flags and variables
 * were read before, and take precedence. The source of a value from a file is the path of the file.
 */
export async function completeOptions(command: Command): Promise<void> {
  if (!hasOption(command, 'data')) return;
  await readOptions(command, command.getOptionValue('config'));
  const data = resolve(command.getOptionValue('data'));
  const recorded = await readStorageRecord(data);
  if (recorded !== undefined) setDefault(command, 'storage', recorded, recordIn(data));
}

async function readOptions(command: Command, given: string | undefined): Promise<void> {
  const path = given === undefined ? configFileIn(resolve(command.getOptionValue('data'))) : resolve(given);
  const values = await readConfigFile(path, { mayBeMissing: given === undefined });
  if (!values) return;
  if (given === undefined && values.has('data')) {
    throw new UsageError(`${path}: "data" is only for a file that --config names; this one is in the data folder`);
  }
  setDefault(command, 'config', path, path);
  for (const [attribute, value] of values) setDefault(command, attribute, value, path);
}

const hasOption = (command: Command, attribute: string): boolean =>
  command.options.some((option) => option.attributeName() === attribute);

/** Sets an option that the command takes, unless a flag, a variable or an earlier file did. */
function setDefault(command: Command, attribute: string, value: unknown, source: string): void {
  if (!hasOption(command, attribute)) return;
  if ([undefined, 'default'].includes(command.getOptionValueSource(attribute))) {
    command.setOptionValueWithSource(attribute, value, source);
  }
}
