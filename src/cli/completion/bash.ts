import { quoted } from '../invocation.ts';
import { type CommandNode, quotedPaths, spellings } from './tree.ts';

/** The completion script for bash. Without completions, bash offers files. */
export const toBash = (name: string, tree: readonly CommandNode[]): string => `# bash completion for ${name}
_${name}() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} at='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${quotedPaths(tree).join(' | ')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at $before" in
${values(tree)}
  esac
  case "$at" in
${completions(tree)}
  esac
}
complete -o default -F _${name} ${name}
`;

const reply = (list: readonly string[]): string => `COMPREPLY=($(compgen -W ${quoted(list.join(' '))} -- "$word"))`;

/** After an option: its choices, else any value. */
function values(tree: readonly CommandNode[]): string {
  const all = tree.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map((option) => ({
        ...option,
        pattern: spellings(option)
          .map((each) => quoted(`${path} ${each}`))
          .join(' | '),
      })),
  );
  const free = all.filter(({ choices }) => choices.length === 0).map(({ pattern }) => pattern);
  return [
    ...all
      .filter(({ choices }) => choices.length > 0)
      .map(({ pattern, choices }) => `    ${pattern}) ${reply(choices)}; return ;;`),
    `    ${free.join(' | ')}) return ;;`,
  ].join('\n');
}

const completions = (tree: readonly CommandNode[]): string =>
  tree
    .map((node) => {
      const commands = [...node.subcommands.map((each) => each.name), ...node.choices];
      const list = [...commands, ...node.options.flatMap(spellings)];
      // Options are offered only after a `-`: an argument may be a file.
      const condition = node.takesFile ? '[[ $word == -* ]] && ' : '';
      return `    ${quoted(node.path)}) ${condition}${reply(list)} ;;`;
    })
    .join('\n');
