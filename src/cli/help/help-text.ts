import { Command, type HelpConfiguration, type Option } from 'commander';
import { wrap } from '../../basics/index.js';
import { version } from '../../version.js';

/** Returns the root command with the flags that every command accepts. */
export function rootCommand(): Command {
  return new Command('perturb')
    .description('Check, run and measure experiment objectives, and serve mutators safely.')
    .version(version, '-V, --version', 'show the version')
    .option('--color', 'colour the output, even when it is not a terminal')
    .option('--no-color', 'never colour the output')
    .option('--debug', 'print the stack trace of an internal error')
    .helpOption('-h, --help', 'show this help');
}

/** Minimum width of descriptions next to their flags on a narrow terminal. */
const NARROWEST_DESCRIPTION = 16;

export const helpStyle = {
  showGlobalOptions: true,
  minWidthToWrap: NARROWEST_DESCRIPTION,
  optionDescription,
  argumentDescription: ({ description, defaultValue, defaultValueDescription }) =>
    defaultValue === undefined
      ? description
      : `${description} (default: ${defaultValueDescription ?? defaultValue})`,
} satisfies HelpConfiguration;

function optionDescription(option: Option): string {
  const { description, argChoices, defaultValue, defaultValueDescription } = option;
  const takesValue = option.required || option.optional;
  const byDefault = takesValue ? (defaultValueDescription ?? defaultValue) : undefined;
  const details = [
    ...(argChoices === undefined ? [] : [`choices: ${argChoices.join(', ')}`]),
    ...(byDefault === undefined ? [] : [`default: ${byDefault}`]),
  ];
  return details.length === 0 ? description : `${description} (${details.join('; ')})`;
}

/**
 * Fits a help text to a terminal. Rewraps prose, and continues a long command after a backslash,
 * ready for copying. Commander has already wrapped the flags.
 */
export function fitHelp(text: string, width: number): string {
  const fitted: string[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    const fits = paragraph.every((line) => line.length <= width);
    fitted.push(...(fits ? paragraph : wrap(paragraph.join(' '), width)));
    paragraph = [];
  };
  let isExample = false;
  for (const line of text.split('\n')) {
    isExample ||= /^Examples?:$/.test(line);
    const isProse = line !== '' && !line.startsWith(' ');
    if (isProse) paragraph.push(line);
    // A line that ends a sentence also ends a paragraph, such as the line before "Exit codes:".
    if (!isProse || /[.:]$/.test(line)) endParagraph();
    if (!isProse) fitted.push(...(isExample ? foldCommand(line, width) : [line]));
  }
  endParagraph();
  return fitted.join('\n');
}

/** Breaks a command between its arguments. Every line except the last ends with a backslash. */
function foldCommand(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const indent = / */.exec(line)?.[0] ?? '';
  const [first = '', ...more] = line.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  const lines: string[] = [];
  let current = indent + first;
  for (const word of more) {
    if (`${current} ${word} \\`.length <= width) {
      current += ` ${word}`;
    } else {
      lines.push(`${current} \\`);
      current = `${indent}  ${word}`;
    }
  }
  return [...lines, current];
}

/**
 * Other tools' flags with Perturb's equivalents. The first equivalent that the command has is
 * suggested.
 */
const FLAGS: Readonly<Record<string, string | readonly string[]>> = {
  '--json': '--format json',
  '--output-file': '--format NAME=FILE',
  '--out': '--output',
  '--output': ['--out', '--report', '--format NAME=FILE'],
  '-o': ['--out', '--report', '--format NAME=FILE'],
  '--severity': ['--quiet, or levels in [lint.rules] of perturb.toml'],
  '--fail-on': '--max-warnings',
  '--fail-level': '--max-warnings',
  '--color=never': '--no-color',
  '--color=always': '--color',
  '--color=auto': 'neither --color nor --no-color',
  '--colour': '--color',
  '--no-colour': '--no-color',
  '--rule': '--only',
  '--select': '--only',
  '--ignore': '--skip',
  '--disable': '--skip',
  '--dry-run': '--fix-dry-run',
  '--url': '--server',
  '--token': '--api-key-env',
  '--api-key': '--api-key-env',
};

/** Returns Commander's usage error in Perturb's format, with a hint if there is one. */
export function usageError(text: string, command: Command): string {
  const message = text.replace(/^error: /, 'perturb: ');
  const flag = /^error: unknown option '([^']+)'/.exec(text)?.[1];
  if (command.name() === 'lint' && /^--(?:exclude|ignore-pattern)(?:=|$)/.test(flag ?? '')) {
    return `perturb: unknown option '${flag}'\n(to exclude files, set exclude in [lint] of perturb.toml)\n`;
  }
  const meant = flag === undefined ? undefined : meantFlag(flag, command);
  if (meant !== undefined) return `perturb: unknown option '${flag}'\n(Did you mean ${meant}?)\n`;
  if (flag !== undefined && command.commands.length > 0 && !/\n\(/.test(message)) {
    return `${message}(a command's flags come after the command's name)\n`;
  }
  if (/^error: (?:missing required argument|required option) /.test(text)) {
    return `${message}(${pathOf(command)} --help shows the usage)\n`;
  }
  // Commander has found no similar command.
  if (/^error: unknown command '.*'\n$/.test(text)) {
    const group = command.parent === null ? '' : ` ${command.name()}`;
    return `${message}(perturb help${group} lists the commands)\n`;
  }
  return message;
}

/** Returns a command's full name, such as `perturb objective lint`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Returns the command's equivalent of another tool's flag. */
function meantFlag(flag: string, command: Command): string | undefined {
  const named = FLAGS[flag] ?? FLAGS[flag.split('=')[0] ?? ''] ?? [];
  const meant = typeof named === 'string' ? [named] : named;
  const known = [...command.options, ...(command.parent?.parent?.options ?? [])];
  const found = meant.find((one) => known.some(({ long }) => long === /--[a-z-]+/.exec(one)?.[0]));
  if (found !== undefined) return found;
  return meant.length > 0 && command.commands.length > 0
    ? `${meant.at(-1)}, after the command`
    : undefined;
}
