import type { Command, Option } from 'commander';
import { type Config, readConfig, STORAGE_OPTIONS } from '../config.ts';

interface CommandTexts {
  /** Options of the configuration that it takes. */
  options?: readonly Option[];
  /** What its help says after the options, in lines of up to 80 characters. */
  notes?: string;
  /** Whole command lines. */
  examples: readonly string[];
}

/** Adds a command to `parent`. */
export function addCommand(
  parent: Command,
  name: string,
  description: string,
  { options = STORAGE_OPTIONS, notes, examples }: CommandTexts,
): Command {
  const command = parent.command(name).description(description);
  for (const option of options) command.addOption(option);
  const title = examples.length === 1 ? 'Example:' : 'Examples:';
  const lines = [title, ...examples.map((example) => `  ${example}`)];
  return command.addHelpText('after', ['', ...(notes === undefined ? [] : [notes, '']), ...lines].join('\n'));
}

/** The code of a command, which receives its arguments, then its options. */
type Code = (config: Config, ...given: never[]) => Promise<void>;

/** The action of a command: reads the configuration, then loads the code. `--version` and `--help` are quick without it. */
export const runs =
  (load: () => Promise<Code>) =>
  async (...given: unknown[]): Promise<void> => {
    const passed = given.slice(0, -1); // commander adds the command
    const config = readConfig(passed.at(-1) as object);
    const code = await load();
    await code(config, ...(passed as never[]));
  };
