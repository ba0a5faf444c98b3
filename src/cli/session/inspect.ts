import type { Command } from 'commander';
import { inspectSession } from '../../session/index.js';
import type { Context } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/exit-codes.js';
import { addFormatOption, type FormatFlags, lookOf } from '../terminal/output-format.js';
import { versioned } from '../terminal/versioned-json.js';
import {
  addSourceFlags,
  droppedText,
  problemLines,
  readSource,
  type SourceFlags,
} from './read-source.js';
import { summaryToJson } from './summary-json.js';
import { summaryPage } from './summary-text.js';

export function configure(command: Command): void {
  command.argument(
    '<source>',
    'a session, in any format that "perturb session import" reads; - for stdin',
  );
  addFormatOption(addSourceFlags(command)).addHelpText(
    'after',
    `
Exit codes: 0 done, 1 something is broken, 2 wrong usage.

Example:
  perturb session inspect flight7.session.jsonl
`,
  );
}

export async function run(
  context: Context,
  [path]: readonly [string],
  flags: SourceFlags & FormatFlags,
): Promise<ExitCode> {
  const { io } = context;
  const reading = await readSource(context, path, flags);
  io.stderr.write(problemLines(path, reading));
  const { session, dropped } = reading;
  if (session === undefined) {
    io.stderr.write(`perturb: --tolerant would leave out ${droppedText(dropped)}\n`);
    return exitCodes.findings;
  }
  const summary = inspectSession(session);
  io.stdout.write(
    flags.format === 'json'
      ? versioned({ session: summaryToJson(summary) })
      : summaryPage(summary, lookOf(context)),
  );
  if (droppedText(dropped) !== '') io.stderr.write(`perturb: left out ${droppedText(dropped)}\n`);
  return exitCodes.ok;
}
