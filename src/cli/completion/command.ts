import { Argument, type Command } from 'commander';
import type { Shell } from './script.ts';

/** The command that prints a completion script. */
export function defineCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', HELP)
    .action(async (shell: Shell) => {
      const { printCompletion } = await import('./script.ts');
      printCompletion(program, shell);
    });
}

const HELP = `
Where shells look for it:
  bash  ~/.local/share/bash-completion/completions/podsync
  zsh   a folder of $fpath, as _podsync
  fish  ~/.config/fish/completions/podsync.fish

Example:
  podsync completion bash > ~/.local/share/bash-completion/completions/podsync`;
