import type { Command, Option } from 'commander';
import { quoted } from '../invocation.ts';

/** A command as shells complete it. */
export interface CommandNode {
  /** The command after the program name, each word after a space, such as ` user add`; `''` is the program itself. */
  path: string;
  subcommands: { name: string; description: string }[];
  options: OptionNode[];
  /** The values that the argument may have; empty for any value. */
  choices: readonly string[];
  /** Whether it takes an argument that may be a file. */
  takesFile: boolean;
}

export interface OptionNode {
  /** `--output`. */
  long: string;
  /** `-o`. */
  short?: string;
  description: string;
  /** Whether a value must follow. */
  takesValue: boolean;
  /** The values that it may have; empty for any value. */
  choices: readonly string[];
}

/** All commands of a program, each before its subcommands. */
export function readTree(command: Command, path = ''): CommandNode[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command);
  const choices = command.registeredArguments[0]?.argChoices ?? [];
  const node: CommandNode = {
    path,
    subcommands: subcommands.map((each) => ({ name: each.name(), description: each.description() })),
    options: help.visibleOptions(command).flatMap((option) => (option.long ? toNode(option, option.long) : [])),
    choices,
    takesFile: command.registeredArguments.length > 0 && choices.length === 0,
  };
  return [node, ...subcommands.flatMap((each) => readTree(each, `${path} ${each.name()}`))];
}

const toNode = ({ short, description, required, argChoices }: Option, long: string): OptionNode => ({
  long,
  ...(short && { short }),
  description,
  takesValue: required,
  choices: argChoices ?? [],
});

/** All paths except that of the program itself, in quotes. */
export const quotedPaths = (tree: readonly CommandNode[]): string[] =>
  tree.flatMap(({ path }) => (path === '' ? [] : [quoted(path)]));

/** The forms of an option: short and long. */
export const spellings = ({ short, long }: OptionNode): string[] => (short ? [short, long] : [long]);
