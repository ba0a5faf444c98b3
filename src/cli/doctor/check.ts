import type { Command } from 'commander';
import { configOption } from '../config/config-option.js';
import type { Context } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/exit-codes.js';
import { addFormatOption, type FormatFlags, lookOf } from '../terminal/output-format.js';
import { type Check, examine } from './examine.js';

interface Flags extends FormatFlags {
  readonly config?: string;
  readonly offline?: true;
}

export function configure(command: Command): void {
  addFormatOption(command)
    .option('--offline', 'open no connection')
    .addOption(configOption())
    .addHelpText(
      'after',
      `
Shows the versions, each setting and where its value comes from, whether the
sources of mutators and the store can be used, and state directories that a
server left with active mutators.
Exit codes: 0 all is well, 2 the configuration has mistakes, 4 something that
is configured cannot be used.

Examples:
  perturb doctor
  perturb doctor --format json
`,
    );
}

export async function run(
  context: Context,
  _args: readonly unknown[],
  flags: Flags,
): Promise<ExitCode> {
  const { io } = context;
  const checks = await examine(context, flags);
  if (flags.format === 'json') {
    io.stdout.write(`${JSON.stringify({ version: 1, checks }, null, 2)}\n`);
  } else {
    const { renderTable } = await import('../terminal/table.js');
    const rows = checks.map(({ subject, state, detail, from }) => [
      subject,
      state,
      detail,
      from ?? '',
    ]);
    io.stdout.write(renderTable(['WHAT', 'STATE', 'DETAIL', 'FROM'], rows, lookOf(context)));
  }
  return exitCodeOf(checks);
}

function exitCodeOf(checks: readonly Check[]): ExitCode {
  const bad = checks.filter(({ state }) => state === 'bad');
  if (bad.some(({ subject }) => subject === 'configuration')) return exitCodes.usage;
  return bad.length > 0 ? exitCodes.unavailable : exitCodes.ok;
}
