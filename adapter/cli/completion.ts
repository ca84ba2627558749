/** Shell completion, generated from the table of commands. */
import { listableKinds } from '../query/list-handles';
import {
  commandEntries,
  optionTable,
  shells,
  type CommandEntry,
  type Option,
  type OptionName,
  type Shell,
} from './arguments/command-table';

export function completionScript(shell: Shell): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell]();
}

const names = commandEntries.map(([name]) => name);

function optionOf(name: OptionName): Option {
  return optionTable[name];
}

function wordsOf({ words }: CommandEntry): string[] {
  if (words === 'kinds') return [...listableKinds];
  return words === 'shells' ? [...shells] : [];
}

/** Options are offered only after two dashes. */
function suggested(entry: CommandEntry): string {
  return [...wordsOf(entry), ...entry.options.map((name) => `--${name}`), '--help'].join(' ');
}

const pathOptions = Object.keys(optionTable)
  .filter((name) => optionOf(name as OptionName).completes === 'path')
  .map((name) => `--${name}`);

function bashScript(): string {
  return `_mpidbg() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words= i
  COMPREPLY=()
  for ((i = 2; i < COMP_CWORD; i++)); do
    [ "\${COMP_WORDS[i]}" = -- ] || continue
    if ((i + 1 == COMP_CWORD)); then COMPREPLY=($(compgen -c -- "$word")); fi
    compopt -o default
    return
  done
  case $before in
    ${pathOptions.join('|')}|-o|layout) compopt -o default; return ;;
  esac
  case \${COMP_WORDS[1]} in
${commandEntries.map(([name, entry]) => `    ${name}) words='${suggested(entry)}' ;;`).join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words='${names.join(' ')} --help --version'; fi
  if [ "$COMP_CWORD" -eq 2 ] && [ "$before" = --help ]; then words='${names.join(' ')}'; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then compopt -o default; fi
}
complete -F _mpidbg mpidbg
`;
}

function zshScript(): string {
  return `#compdef mpidbg
_mpidbg() {
  if (( CURRENT == 2 )) || [[ $words[CURRENT-1] == --help ]]; then
    local -a commands=(
${commandEntries.map(([name, { summary }]) => `      ${quoted(`${name}:${summary}`)}`).join('\n')}
    )
    _describe command commands
    return
  fi
  local -i dashes=$words[(i)--]
  if (( dashes < CURRENT )); then
    shift dashes words
    (( CURRENT -= dashes ))
    _normal
    return
  fi
  case $words[CURRENT-1] in
    ${pathOptions.join('|')}|-o) _files; return ;;
  esac
  case $words[2] in
${commandEntries.map(([name, entry]) => `    ${name}) compadd -- ${suggested(entry)} ;;`).join('\n')}
  esac
  if [[ $words[2] == layout ]] || (( $words[(I)--core] )); then _files; fi
}
if [ "$funcstack[1]" = _mpidbg ]; then _mpidbg "$@"; else compdef _mpidbg mpidbg; fi
`;
}

function fishScript(): string {
  const lines = commandEntries.flatMap(([name, entry]) => {
    const here = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c mpidbg -f -n __fish_use_subcommand -a ${name} -d ${quoted(entry.summary)}`,
      ...wordsOf(entry).map((word) => `complete -c mpidbg -f ${here} -a ${word}`),
      ...entry.options.map((option) => {
        const { argument, completes, short, summary } = optionOf(option);
        const takes = argument === undefined ? '' : completes === 'path' ? ' -r -F' : ' -x';
        return `complete -c mpidbg ${here} -l ${option}${short === undefined ? '' : ` -s ${short}`}${takes} -d ${quoted(summary)}`;
      }),
    ];
  });
  return `${lines.join('\n')}\n`;
}

/** For both zsh and fish, which escape quotes inside quotes differently. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
