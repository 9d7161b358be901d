import { resolve } from 'node:path';
import type { Command } from 'commander';
import { DATA_OPTION } from '../config.ts';
import { readStorageRecord } from './storage-record.ts';

/**
 * Completes the options of a command with those that its data folder names. Flags and variables have been read, and take
 * precedence.
 */
export async function completeOptions(command: Command): Promise<void> {
  if (!command.options.includes(DATA_OPTION)) return;
  const recorded = await readStorageRecord(resolve(command.getOptionValue('data')));
  if (recorded !== undefined) setDefault(command, 'storage', recorded, 'data folder');
}

function setDefault(command: Command, attribute: string, value: unknown, source: string): void {
  if (!command.options.some((option) => option.attributeName() === attribute)) return;
  const current = command.getOptionValueSource(attribute);
  if (current === undefined || current === 'default') command.setOptionValueWithSource(attribute, value, source);
}
