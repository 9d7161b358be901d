import { quoted } from '../invocation.ts';
import { type CommandNode, type OptionNode, quotedPaths } from './tree.ts';

/** The completion script for fish. Files are offered if a command takes arguments. */
export const toFish = (name: string, tree: readonly CommandNode[]): string => `# fish completion for ${name}
function __${name}_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        if contains -- "$at $word" ${quotedPaths(tree).join(' ')}
            set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c ${name} -f
${tree.flatMap((node) => toLines(name, node)).join('\n')}
`;

function toLines(name: string, node: CommandNode): string[] {
  const begin = `complete -c ${name} -n ${quoted(`__${name}_at "${node.path}"`)}`;
  return [
    ...node.subcommands.map((each) => `${begin} -a ${each.name} -d ${quoted(each.description)}`),
    ...node.options.map((option) => `${begin} ${toSwitches(option)} -d ${quoted(option.description)}`),
    ...node.choices.map((choice) => `${begin} -a ${choice}`),
    ...(node.takesFile ? [`${begin} -F`] : []),
  ];
}

function toSwitches({ long, short, takesValue, choices }: OptionNode): string {
  const names = `-l ${long.slice(2)}${short ? ` -s ${short.slice(1)}` : ''}`;
  if (!takesValue) return names;
  return choices.length > 0 ? `${names} -x -a ${quoted(choices.join(' '))}` : `${names} -r -F`;
}
