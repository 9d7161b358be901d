import type { Command } from 'commander';
import { toBash } from './bash.ts';
import { toFish } from './fish.ts';
import { readTree } from './tree.ts';
import { toZsh } from './zsh.ts';

const SCRIPTS = { bash: toBash, zsh: toZsh, fish: toFish };

export type Shell = keyof typeof SCRIPTS;

/** `completion`. */
export function printCompletion(program: Command, shell: Shell): void {
  process.stdout.write(SCRIPTS[shell](program.name(), readTree(program)));
}
