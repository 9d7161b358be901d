import type { Command, Option } from 'commander';
import { STORAGE_OPTIONS } from '../config.ts';

/** Adds a command to `parent`, with the options of the configuration that it needs. */
export function addCommand(
  parent: Command,
  name: string,
  description: string,
  options: readonly Option[] = STORAGE_OPTIONS,
): Command {
  const command = parent.command(name).description(description);
  for (const option of options) command.addOption(option);
  return command;
}
