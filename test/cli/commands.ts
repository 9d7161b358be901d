import { readTree } from '../../src/cli/completion/tree.ts';
import { createProgram } from '../../src/cli/program.ts';

/** All commands of podsync, as typed after its name. */
export const COMMANDS: readonly string[] = readTree(createProgram())
  .filter(({ subcommands }) => subcommands.length === 0)
  .map(({ path }) => path.trim())
  .filter((command) => !/\bhelp$/.test(command));
