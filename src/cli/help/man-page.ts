import { version } from '../../version.js';
import { exitCodes } from '../runtime/exit-codes.js';
import type {
  ArgumentDescription,
  CommandDescription,
  FlagDescription,
  ProgramDescription,
} from './describe-program.js';
import { bold, literal, paragraph, section, subsection, tagged, variable } from './roff.js';

/** The manual page of the program, for `man`: what its help says, and what belongs to no command. */
export function manPage({ flags, groups }: ProgramDescription): string {
  return [
    '.\\" Written by "npm run golden" from the help texts.\n',
    `.TH PERTURB 1 "" "Perturb ${version}" "User Commands"\n`,
    '.nh\n.ad l\n',
    section('NAME', 'perturb \\- lint experiment objectives, and serve mutators safely\n'),
    section(
      'SYNOPSIS',
      `${bold('perturb')} ${variable('group command')} [${variable('options')}] [${variable('arguments')}]\n.br\n`,
      `${bold('perturb help')} [${variable('group')} [${variable('command')}]]\n`,
    ),
    section('DESCRIPTION', ...description.map(paragraph)),
    section('OPTIONS', paragraph('Every command takes these.'), ...flags.map(flagText)),
    section(
      'COMMANDS',
      ...groups.flatMap(({ name: group, commands }) =>
        commands.map((command) => commandText(group, command)),
      ),
    ),
    section(
      'EXIT STATUS',
      ...Object.entries(exits).map(([name, text]) =>
        tagged(bold(String(exitCodes[name as keyof typeof exits])), text),
      ),
    ),
    section('FILES', ...Object.entries(files).map(([path, text]) => tagged(variable(path), text))),
    section(
      'ENVIRONMENT',
      ...Object.entries(environment).map(([name, text]) => tagged(bold(name), text)),
    ),
    section(
      'SEE ALSO',
      paragraph(
        'perturb rules explain, for a rule; the directory docs of the package, for all else.',
      ),
    ),
  ].join('');
}

const description = [
  `Perturb is for people who test systems by perturbing them. They describe an experiment in a
TOML objective file: which mutations may be made to a system, what is measured with trace
expressions, and when to stop. Perturb finds the mistakes in such files, and in the expressions
inside their strings, and marks each to the exact character.`,
  `It keeps objectives in a store, serves mutators, the knobs of a system under test, over HTTP,
and talks to such servers.`,
  `Results go to standard output; progress, logs and complaints go to standard error. In place of
a file, "-" stands for standard input.`,
];

const exits: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'Done. Lint found nothing at error level, and warnings within --max-warnings.',
  findings: `Lint found errors, or more warnings than allowed; objective create rejected an
objective; a mutator could not be reset when the server ended.`,
  usage: 'Bad flags, arguments or configuration; no file matched; a file can not be read.',
  internal: 'A bug in Perturb. --debug shows the stack.',
  unavailable: 'A store, a mutator server or a port that was asked for can not be used.',
};

const files: Readonly<Record<string, string>> = {
  '*.objective.toml': 'Objectives, as they are looked for in directories.',
  '*.manifest.toml': 'Manifests of mutators, as they are looked for in directories.',
  'perturb.toml': `The configuration of a project: the nearest one, from the working directory
upwards.`,
  '.perturb/objectives.db': `The store of a project, unless --store or perturb.toml names
another.`,
  '.perturb/state': `What perturb serve mutators remembers of what is mutated, unless --state-dir
names another directory.`,
};

const environment: Readonly<Record<string, string>> = {
  NO_COLOR: 'If it is not empty, nothing is coloured, unless --color is given.',
  FORCE_COLOR: `If it is neither empty nor 0 nor false, output is coloured also when it is no
terminal.`,
  NODE_EXTRA_CA_CERTS: 'A file of further certificates that a mutator server may be trusted by.',
  PGPASSWORD: 'The password of a store on PostgreSQL; otherwise ~/.pgpass has it.',
};

function commandText(group: string, command: CommandDescription): string {
  const [notes = '', examples] = command.notes.split(/^Examples?:\n/m);
  return subsection(
    `perturb ${group} ${command.name} ${command.usage}`,
    paragraph(sentence(command.summary)),
    ...command.arguments.map(argumentText),
    ...command.flags.filter(({ long }) => long !== '--help').map(flagText),
    ...notes
      .split(/\n{2,}|\n(?=Exit codes:)/)
      .flatMap((text) => (text.trim() === '' ? [] : paragraph(text))),
    ...(examples === undefined ? [] : [paragraph('Examples:'), literal(examples)]),
  );
}

function argumentText({ value, summary }: ArgumentDescription): string {
  return tagged(variable(value.name), sentence(summary));
}

function flagText({ short, long, value, details }: FlagDescription): string {
  const names = [...(short === undefined ? [] : [short]), long].map(bold).join(', ');
  return tagged(
    value === undefined ? names : `${names} ${variable(value.name)}`,
    sentence(details),
  );
}

/** A text of the help, which begins small and ends without a full stop, as a sentence. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
