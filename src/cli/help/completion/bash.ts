import type { FlagDescription, ProgramDescription, Value } from '../describe-program.js';

/** The completion script for bash. */
export function bashScript({ flags, groups }: ProgramDescription): string {
  const names = groups.map(({ name }) => name).join(' ');
  const cases = [
    known('', `${names} help`, flags),
    known('help', names, []),
    ...groups.flatMap(({ name: group, alone, commands }) => {
      const subcommands = commands.map(({ name }) => name).join(' ');
      const standIn = commands.find(({ name }) => name === alone)?.flags ?? [];
      return [
        known(group, subcommands, [...standIn, ...flags]),
        known(`help ${group}`, subcommands, []),
        ...commands.map((command) => {
          const [argument] = command.arguments;
          const words = argument === undefined ? '' : completed(argument.value);
          return known(`${group} ${command.name}`, words, [...command.flags, ...flags]);
        }),
      ];
    }),
  ];
  return `# Completes perturb in bash. Written by "perturb completion bash".

# Sets what may follow the command $1: words, flags, and for the flag $2 the value it takes.
# A word with a colon stands for files, directories, files after a "=", or for nothing known.
_perturb_known() {
  words='' flags='' value=''
  case $1 in
${cases.join('\n')}
  esac
}

_perturb() {
  local IFS=$' \\t\\n' words flags value
  local line=() before command='' count=0 current flag='' glued='' only_words='' whole='' word i
  COMPREPLY=()

  # Bash breaks words also at "=" and ":". Here they are whole again.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ \${#line[@]} -gt 0 && (-n $glued || $word == [=:]*) ]]; then
      line[\${#line[@]} - 1]+=$word
    else
      line+=("$word")
    fi
    if [[ $word == *[=:] ]]; then glued=1; else glued=''; fi
  done
  whole=\${line[\${#line[@]} - 1]}
  # What stands before the part of the word that bash replaces.
  if [[ $word == [=:]* ]]; then before=$whole; else before=\${whole%"$word"}; fi

  for ((i = 0; i < \${#line[@]} - 1; i++)); do
    word=\${line[i]}
    if [[ -n $flag ]]; then
      flag=''
    elif [[ $word == -- ]]; then
      only_words=1
    elif [[ -z $only_words && $word == -* ]]; then
      _perturb_known "$command" "$word"
      if [[ -n $value ]]; then flag=$word; fi
    elif ((count < 2)); then
      command+=\${command:+ }$word
      count=$((count + 1))
    fi
  done

  current=$whole
  if [[ -z $flag && -z $only_words && $whole == --*=* ]]; then
    flag=\${whole%%=*}
    current=\${whole#*=}
  fi
  _perturb_known "$command" "$flag"
  if [[ -n $flag ]]; then
    words=$value
  elif [[ -z $only_words && $current == -* ]]; then
    words=$flags
  fi

  case $words in
    *:after) if [[ $current == *=* ]]; then words=:files; fi ;;
  esac
  case $words in
    *:files) compopt -o default 2>/dev/null ;;
    *:directories) compopt -o dirnames 2>/dev/null ;;
  esac
  for word in $words; do
    if [[ $word != :* && $word == "$current"* ]]; then
      word=\${whole%"$current"}$word
      COMPREPLY+=("\${word#"$before"}")
    fi
  done
}

complete -F _perturb perturb
`;
}

/** The branch of a command: what completes its words, its flags and their values. */
function known(command: string, words: string, flags: readonly FlagDescription[]): string {
  const lines = [`    '${command}')`];
  if (words !== '') lines.push(`      words='${words}'`);
  const names = new Set(flags.flatMap(({ short, long }) => [long, ...(short ? [short] : [])]));
  if (names.size > 0) lines.push(`      flags='${[...names].join(' ')}'`);
  const valued = flags.flatMap(({ short, long, value }) =>
    value === undefined
      ? []
      : [
          `        ${short ? `${short} | ` : ''}${long}) value='${completed(value) || ':unknown'}' ;;`,
        ],
  );
  if (valued.length > 0) lines.push('      case $2 in', ...valued, '      esac');
  return [...lines, '      ;;'].join('\n');
}

/** The words that a value may be, and a word with a colon for what else it may be. */
function completed({ words, path }: Value): string {
  const kinds = { file: ':files', directory: ':directories', 'file after =': ':after' };
  return [...words, ...(path === undefined ? [] : [kinds[path]])].join(' ');
}
