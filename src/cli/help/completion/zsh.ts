import type {
  ArgumentDescription,
  CommandDescription,
  FlagDescription,
  GroupDescription,
  ProgramDescription,
  Value,
} from '../describe-program.js';

interface Word {
  readonly name: string;
  readonly summary: string;
}

/** The completion script for zsh. */
export function zshScript({ flags, groups }: ProgramDescription): string {
  const globals = flags.map(flagSpec);
  const help = { name: 'help', summary: 'show the help of a command' };
  return `#compdef perturb

# Completes perturb in zsh. Written by "perturb completion zsh".

${level('_perturb', globals, [...groups, help])}

${level('_perturb_help', [], groups)}

${groups.map((group) => groupFunctions(group, globals)).join('\n\n')}

# One of the words, or after "=" a file.
_perturb_or_file() {
  if compset -P '*='; then _files; else compadd "$@"; fi
}

if [[ $funcstack[1] == _perturb ]]; then
  _perturb "$@"
else
  compdef _perturb perturb
fi
`;
}

/** The functions of a group: its own, that of its help, and one for each of its commands. */
function groupFunctions(
  { name, alone, commands }: GroupDescription,
  globals: readonly string[],
): string {
  const standIn = commands.find((command) => command.name === alone)?.flags.map(flagSpec) ?? [];
  return [
    level(`_perturb_${name}`, [...standIn, ...globals], commands),
    level(`_perturb_help_${name}`, [], commands),
    ...commands.map((command) => leaf(`_perturb_${name}_${command.name}`, command, globals)),
  ].join('\n\n');
}

/** A function that completes one word of a command, and leaves the rest to the word's own. */
function level(name: string, flags: readonly string[], words: readonly Word[]): string {
  const described = words.map((word) => quote(`${word.name}:${word.summary}`));
  return `${name}() {
  local context state state_descr line
  local -A opt_args
  local -a words_known=(
${described.map((word) => `    ${word}`).join('\n')}
  )
${call([...new Set(flags), quote('1: :->word'), quote('*:: :->rest')], '-C ')}
  case $state in
    word) _describe -t commands command words_known ;;
    rest) if (( $+functions[${name}_$line[1]] )); then ${name}_$line[1]; fi ;;
  esac
}`;
}

function leaf(name: string, command: CommandDescription, globals: readonly string[]): string {
  const specs = [...command.flags.map(flagSpec), ...globals];
  return `${name}() {
${call([...new Set(specs), ...command.arguments.map(argumentSpec)], '-s -S ')}
}`;
}

function call(specs: readonly string[], options: string): string {
  return `  _arguments ${options}\\\n${specs.map((spec) => `    ${spec}`).join(' \\\n')}`;
}

/** A flag as `_arguments` reads it: `(-f --format)'{-f,--format=}'[how to print]:name:(a b)`. */
function flagSpec({ short, long, summary, value, repeatable }: FlagDescription): string {
  const names = short === undefined ? [long] : [short, long];
  const isHelp = long === '--help' || long === '--version';
  const before = isHelp ? '(- *)' : repeatable ? '*' : `(${names.join(' ')})`;
  const text = `[${summary.replace(/[[\]\\]/g, '\\$&')}]${value === undefined ? '' : valueSpec(value)}`;
  const spelt = names.map((name) => (value && name.startsWith('--') ? `${name}=` : name));
  return spelt.length === 1
    ? quote(`${before}${spelt[0]}${text}`)
    : `${quote(before)}{${spelt.join(',')}}${quote(text)}`;
}

function argumentSpec({ value, required, variadic }: ArgumentDescription): string {
  const before = variadic ? '*' : required ? '' : ':';
  return quote(`${before}${valueSpec(value)}`);
}

/** `:message:action`, where the action is what completes the value. */
function valueSpec({ name, words, path }: Value): string {
  const actions = {
    file: '_files',
    directory: '_files -/',
    'file after =': `_perturb_or_file ${words.join(' ')}`,
  };
  const action =
    path !== undefined ? actions[path] : words.length > 0 ? `(${words.join(' ')})` : ' ';
  return `:${name.replaceAll(':', '\\:')}:${action}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
