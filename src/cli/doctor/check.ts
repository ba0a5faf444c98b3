import type { Command } from 'commander';
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
    .option('--config <path>', 'the perturb.toml to use; by default the nearest one, here or above')
    .addHelpText(
      'after',
      `
Shows the versions, the configuration in force and where each value comes from,
whether the sources of mutators can be used, the state of the store, and state
directories that a server left with active mutators.
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
  const findings = await examine(context, flags);
  if (flags.format === 'json') {
    io.stdout.write(`${JSON.stringify({ version: 1, checks: findings }, null, 2)}\n`);
  } else {
    const { renderTable } = await import('../terminal/table.js');
    const rows = findings.map(({ subject, state, detail, from }) => [
      subject,
      state,
      detail,
      from ?? '',
    ]);
    io.stdout.write(renderTable(['WHAT', 'STATE', 'DETAIL', 'FROM'], rows, lookOf(context)));
  }
  return exitCodeOf(findings);
}

function exitCodeOf(findings: readonly Check[]): ExitCode {
  const bad = findings.filter(({ state }) => state === 'bad');
  if (bad.some(({ subject }) => subject === 'configuration')) return exitCodes.usage;
  return bad.length > 0 ? exitCodes.unavailable : exitCodes.ok;
}
