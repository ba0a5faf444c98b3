import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { plural, visible } from '../../basics/index.js';
import { count, type Finding } from '../../diagnostics/index.js';
import {
  type Report,
  type ReporterContext,
  type ReporterName,
  reporters,
} from '../../reporters/index.js';
import { defined } from '../../values/index.js';
import { version } from '../../version.js';
import { repositoryRoot } from '../config/config.js';
import { type ExitCode, exitCodes, type Io, usageFailure } from '../runtime/command.js';
import { type FlagsOf, option, readChoice, repeatedOption } from '../runtime/declare.js';
import { contextFor, tableLook } from '../runtime/io.js';
import { parseWholeNumber } from '../runtime/options.js';
import { checkReportPath, writeReportFile } from './write-file.js';

/** A report format and its file; stdout without a file. */
export interface Destination<Format extends string = ReporterName> {
  readonly format: Format;
  readonly file?: string;
}

export const reportOptions = [
  destinationOption(Object.keys(reporters) as ReporterName[]),
  option('--max-warnings <n>', 'fail if there are more than n warnings', {
    read: parseWholeNumber,
  }),
  option(
    '--max-findings <n>',
    'show at most n findings in pretty, compact and github; 0 for all (default: 200 on a terminal)',
    { read: parseWholeNumber },
  ),
  option('--statistics', 'print the number of findings per rule'),
  option('-q, --quiet', 'report errors only'),
] as const;

export type ReportFlags = FlagsOf<typeof reportOptions>;

export interface LintOutcome extends Omit<Report, 'version' | 'hiddenWarnings' | 'warningsFail'> {
  /** One line for each unreadable input. */
  readonly unread: readonly string[];
}

/** Default maximum number of findings shown on a terminal. */
const MOST_ON_TERMINAL = 200;

/**
 * Reports findings to the destinations in the flags, and unreadable inputs to stderr. Writes
 * `pretty` to stdout unless another format goes there.
 *
 * @returns the exit code
 * @throws CommandFailure (usage) if a file cannot be written, or if two formats would go to stdout
 */
export async function report(
  io: Io,
  color: boolean | undefined,
  flags: ReportFlags,
  { unread, ...outcome }: LintOutcome,
): Promise<ExitCode> {
  const { errors, warnings } = count(outcome.findings);
  const warningsFail = flags.maxWarnings !== undefined && warnings > flags.maxWarnings;
  if (outcome.fileCount > 0) {
    const findings = outcome.findings.filter(
      ({ severity }) => !flags.quiet || severity === 'error',
    );
    const hiddenWarnings = flags.quiet ? warnings : 0;
    const content = { ...outcome, findings, hiddenWarnings, warningsFail, version };
    const root = repositoryRoot(io.cwd);
    await writeReports(io, flags.format, async (format, onStdout) => {
      const context: ReporterContext = onStdout
        ? contextFor(io, io.stdout, color, root)
        : { color: false, directory: io.cwd, root };
      const byDefault = format === 'pretty' && io.stdout.isTTY ? MOST_ON_TERMINAL : 0;
      const most = onStdout ? (flags.maxFindings ?? byDefault) : 0;
      return reporters[format](content, { ...context, ...(most > 0 && { maxFindings: most }) });
    });
  }
  if (flags.statistics) await printStatistics(io, color, flags, outcome.findings);
  for (const problem of unread) io.stderr.write(`perturb: ${visible(problem)}\n`);
  if (warningsFail) {
    const allowed = `--max-warnings allows ${flags.maxWarnings}`;
    io.stderr.write(`perturb: ${plural(warnings, 'warning')}, but ${allowed}\n`);
  }
  if (unread.length > 0) return exitCodes.usage;
  return errors > 0 || warningsFail ? exitCodes.findings : exitCodes.ok;
}

/**
 * Prints the number of findings per rule: below the pretty format, otherwise to stderr, because a
 * program reads stdout.
 */
async function printStatistics(
  io: Io,
  color: boolean | undefined,
  { format }: ReportFlags,
  findings: readonly Finding[],
): Promise<void> {
  // The character width tables are slow to load.
  const { renderTable } = await import('../../reporters/terminal/index.js');
  const isPretty = format.every((one) => one.format === 'pretty' || one.file !== undefined);
  const output = isPretty ? io.stdout : io.stderr;
  const rows = [...new Set(findings.map(({ rule }) => rule))]
    .sort()
    .map((rule) => [rule, findings.filter((one) => one.rule === rule)] as const)
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([rule, own]) => [
      `${own.length}`,
      `${new Set(own.map(({ file }) => file.path)).size}`,
      rule,
    ]);
  if (rows.length === 0) return;
  const look = tableLook({ io, color });
  output.write(`\n${renderTable(['FINDINGS', 'FILES', 'RULE'], rows, look)}`);
}

/**
 * Writes a result in each format to its destination. Writes `pretty` to stdout unless another
 * format goes there.
 *
 * @param render returns the text in a format; empty if already printed
 * @throws CommandFailure (usage) if a file cannot be written, or if two formats would go to stdout
 */
export async function writeReports<Format extends string>(
  io: Io,
  given: readonly Destination<Format>[],
  render: (format: Format | 'pretty', onStdout: boolean) => string | Promise<string>,
): Promise<void> {
  for (const { format, file } of destinations(given)) {
    const text = await render(format, file === undefined);
    if (file === undefined) io.stdout.write(text);
    else writeReportFile(io.cwd, file, text);
  }
}

/**
 * Returns the destinations. Adds `pretty` on stdout unless another format goes there.
 *
 * @throws CommandFailure (usage) if two formats would go to stdout
 */
function destinations<Format extends string>(
  given: readonly Destination<Format>[],
): readonly Destination<Format | 'pretty'>[] {
  const onStdout = given.filter(({ file }) => file === undefined);
  if (onStdout.length > 1) {
    throw usageFailure(
      'two reports cannot share stdout',
      `Write one to a file, as in --format ${onStdout[1]?.format}=FILE.`,
    );
  }
  return onStdout.length === 1 ? given : [{ format: 'pretty' }, ...given];
}

/**
 * Refuses a report that cannot be written, or that would overwrite an input file, as in `--format
 * json=a.toml`.
 *
 * @throws CommandFailure (usage) before anything is written
 */
export function refuseToReplace(
  cwd: string,
  given: readonly Destination<string>[],
  files: readonly string[],
): void {
  for (const { file } of given) {
    if (file === undefined) continue;
    const path = resolve(cwd, file);
    if (files.some((read) => resolve(cwd, read) === path)) {
      const help = 'Write the report to another file.';
      throw usageFailure(`refusing to overwrite ${file}: it is an input file`, help);
    }
    checkReportPath(cwd, file);
  }
}

/** Declares `--format NAME` or `--format NAME=FILE` for a command's formats. */
export function destinationOption<Format extends string>(formats: readonly Format[]) {
  const read = (text: string, before: readonly Destination<Format>[]): Destination<Format> => {
    const at = text.indexOf('=');
    const name = at === -1 ? text : text.slice(0, at);
    const format = readChoice(name, formats, ', alone or as NAME=FILE');
    const file = text.slice(at + 1);
    if (at === -1 || file === '-') return { format };
    if (file === '') throw new InvalidArgumentError('The file after = is missing.');
    if (before.some((other) => other.file === file)) {
      throw new InvalidArgumentError(`Another report already uses ${file}.`);
    }
    return { format, file };
  };
  const what = 'report format; may be repeated';
  const declared = repeatedOption('-f, --format <name[=file]>', what, 'pretty', read);
  declared.argChoices = [...formats];
  return declared;
}

const RESULT_FORMATS = ['pretty', 'json', 'junit', 'markdown', 'html'] as const;

export type ResultFormat = (typeof RESULT_FORMATS)[number];

export const resultOptions = [
  destinationOption(RESULT_FORMATS),
  option(
    '--report <path>',
    'write an HTML report (same as --format html=PATH); a run updates it continuously',
  ),
] as const;

export type ResultFlags = FlagsOf<typeof resultOptions>;

/**
 * Returns the reports' destinations.
 *
 * @throws CommandFailure (usage) if a report cannot be written, before any long work
 */
export function resultDestinations(
  cwd: string,
  { format, report }: ResultFlags,
  inputs: readonly string[] = [],
): readonly Destination<ResultFormat>[] {
  const file = report === '-' ? undefined : report;
  const html = report === undefined ? [] : [{ format: 'html' as const, ...defined({ file }) }];
  const all = destinations([...format, ...html]);
  refuseToReplace(cwd, all, inputs);
  return all;
}
