import type { FlagDescription, ProgramDescription, Value } from '../describe-program.js';

/** The completion script for fish. */
export function fishScript({ flags, groups }: ProgramDescription): string {
  const lines = [
    '# Commands.',
    ...groups.map(({ name, summary }) => word('', name, summary)),
    word('', 'help', 'show the help of a command'),
    ...groups.map(({ name, summary }) => word('help', name, summary)),
    ...groups.flatMap(({ name: group, commands }) => [
      ...commands.map(({ name, summary }) => word(group, name, summary)),
      ...commands.map(({ name, summary }) => word(`help ${group}`, name, summary)),
    ]),
    '',
    '# Flags of every command.',
    ...flags.map((flag) => `complete -c perturb${flagSpec(flag)}`),
  ];
  for (const { name: group, alone, commands } of groups) {
    for (const { name, flags: own, arguments: args } of commands) {
      const conditions = [`__perturb_in ${group} ${name}`];
      if (name === alone) conditions.push(`__perturb_at ${group}`);
      const specs = own.filter(({ long }) => long !== '--help').map(flagSpec);
      const [argument] = args;
      if (argument !== undefined) specs.push(valueSpec(argument.value));
      const known = specs.filter((spec) => spec !== '');
      if (known.length === 0) continue;
      const condition = quote(conditions.join('; or '));
      lines.push('', `# perturb ${group} ${name}`);
      lines.push(...known.map((spec) => `complete -c perturb -n ${condition}${spec}`));
    }
  }
  return `# Completes perturb in fish. Written by "perturb completion fish".

# The words before the cursor that are no flags.
function __perturb_words
    set -l words (commandline -opc)
    string match -v -- '-*' $words[2..-1]
end

# Whether these words stand before the cursor, and no others.
function __perturb_at
    set -l words (__perturb_words)
    test "$words" = "$argv"
end

# Whether the words before the cursor begin with these two.
function __perturb_in
    set -l words (__perturb_words)
    test "$words[1..2]" = "$argv"
end

# One of the words, or after "=" a file.
function __perturb_or_file
    set -l token (string replace -r -- '^--[^=]*=' '' (commandline -ct))
    set -l parts (string split -m 1 = -- $token)
    if set -q parts[2]
        string replace -r -- '^' $parts[1]= (complete -C "'' $parts[2]")
    else
        string join \\n -- $argv
    end
end

complete -c perturb -f

${lines.join('\n')}
`;
}

function word(command: string, name: string, summary: string): string {
  const condition = command === '' ? '__perturb_at' : `__perturb_at ${command}`;
  return `complete -c perturb -n ${quote(condition)} -a ${name} -d ${quote(summary)}`;
}

function flagSpec({ short, long, summary, value }: FlagDescription): string {
  const names = `${short === undefined ? '' : ` -s ${short.slice(1)}`} -l ${long.slice(2)}`;
  const takes = value === undefined ? '' : valueSpec(value) || ' -x';
  return `${names}${takes} -d ${quote(summary)}`;
}

/** What completes a value; nothing for one of which nothing is known. */
function valueSpec({ words, path }: Value): string {
  if (path === 'file') return ' -r -F';
  if (path === 'directory') return ` -x -a '(__fish_complete_directories)'`;
  if (path !== undefined) return ` -x -a '(__perturb_or_file ${words.join(' ')})'`;
  return words.length === 0 ? '' : ` -x -a ${quote(words.join(' '))}`;
}

function quote(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
