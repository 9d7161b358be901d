import { quoted } from '../invocation.ts';
import { type CommandNode, type OptionNode, quotedPaths, spellings } from './tree.ts';

/** The completion script for zsh: for a folder of `fpath`, or to be sourced. */
export const toZsh = (name: string, tree: readonly CommandNode[]): string => `#compdef ${name}
# zsh completion for ${name}
_${name}() {
  local at='' each
  integer depth=0
  for each in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $each" in
      (${quotedPaths(tree).join(' | ')}) at="$at $each"; (( depth += 1 )) ;;
      (*) break ;;
    esac
  done
  (( CURRENT -= depth ))
  shift $depth words
  case "$at" in
${tree.map(toCase).join('\n')}
  esac
}
if [[ $funcstack[1] == _${name} ]]; then
  _${name} "$@"
else
  compdef _${name} ${name}
fi
`;

function toCase(node: CommandNode): string {
  const specs = [...node.options.map(toArgument), ...toRest(node)];
  return `    (${quoted(node.path)})\n      _arguments ${specs.join(' \\\n        ')} ;;`;
}

/** Arguments and subcommands: `1:command:((add\:"create an account"))`. */
function toRest({ subcommands, choices, takesFile }: CommandNode): string[] {
  const commands = subcommands.map(({ name, description }) => `${name}\\:"${escape(description, /["$`:\\]/g)}"`);
  if (commands.length > 0) return [quoted(`1:command:((${commands.join(' ')}))`)];
  if (choices.length > 0) return [quoted(`1:argument:(${choices.join(' ')})`)];
  return takesFile ? [quoted('*:argument:_files')] : [];
}

/** `(-o --output)'{-o,--output}'[description]:value:action`. */
function toArgument(option: OptionNode): string {
  const names = spellings(option);
  const value = option.choices.length > 0 ? `:value:(${option.choices.join(' ')})` : ':value:_files';
  const head = names.length > 1 ? `${quoted(`(${names.join(' ')})`)}{${names.join(',')}}` : names[0]!;
  return `${head}${quoted(`[${escape(option.description, /[[\]:\\]/g)}]${option.takesValue ? value : ''}`)}`;
}

const escape = (text: string, special: RegExp): string => text.replace(special, String.raw`\$&`);
