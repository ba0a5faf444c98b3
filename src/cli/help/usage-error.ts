import type { Command } from 'commander';

/** What other tools call a flag of ours. */
const FLAGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '--json': '--format json',
    '--output-file': '--format NAME=FILE',
    '--out': '--output',
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
  }),
);

/** Commander's message for wrong usage as ours, with a hint where there is one. */
export function usageError(text: string, command: Command): string {
  const message = text.replace(/^error: /, 'perturb: ');
  const flag = /^error: unknown option '([^']+)'/.exec(text)?.[1];
  const meant = flag === undefined ? undefined : meantFlag(flag, command);
  if (meant !== undefined) return `perturb: unknown option '${flag}'\n(Did you mean ${meant}?)\n`;
  if (flag !== undefined && command.commands.length > 0 && !/\n\(/.test(message)) {
    return `${message}(the flags of a command come after its name)\n`;
  }
  if (/^error: (?:missing required argument|required option) /.test(text)) {
    return `${message}(${pathOf(command)} --help shows the usage)\n`;
  }
  // With nothing like it to suggest.
  if (/^error: unknown command '.*'\n$/.test(text)) {
    const group = command.parent === null ? '' : ` ${command.name()}`;
    return `${message}(perturb help${group} lists the commands)\n`;
  }
  return message;
}

/** The words that lead to a command: `perturb objective lint`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** A flag that the command has, for one that other tools have. */
function meantFlag(flag: string, command: Command): string | undefined {
  const meant = FLAGS.get(flag) ?? FLAGS.get(flag.split('=')[0] ?? '');
  const known = [...command.options, ...(command.parent?.parent?.options ?? [])];
  const [name = ''] = meant?.match(/--[a-z-]+/) ?? [];
  if (known.some(({ long }) => long === name)) return meant;
  return meant !== undefined && command.commands.length > 0
    ? `${meant}, after the command`
    : undefined;
}
