import { plural, visible } from '../../basics/index.js';
import { arrange, type Finding } from '../../diagnostics/index.js';
import { type FormattedObjective, formatObjective, formatRule } from '../../objective/fmt/index.js';
import { decodeSource, type SourceFile, type Span } from '../../source/index.js';
import { readConfig } from '../config/config.js';
import { readEach } from '../files/check-files.js';
import { selectFiles } from '../files/discover.js';
import { report, reportOptions } from '../files/report.js';
import { fileDiff, writeNamedFile } from '../files/write-file.js';
import { type CommandHandler, exitCodes, type Io, usageFailure } from '../runtime/command.js';
import { argument, option } from '../runtime/declare.js';
import { configOption, stdinFilenameOption } from '../runtime/options.js';

export const help = `
Formats the trace expressions: one clause per line, a line for each of several
patterns or measures, keywords in capitals, single quotes, no redundant parentheses.
It keeps comments, the order of clauses, and everything outside the expressions.
A short one-line expression stays on one line. An expression with a syntax error
stays unchanged; --check fails on it. Without paths, it formats the files that objective lint checks.
With -, it reads stdin and prints the result.
--check with --format reports each expression that would change, as lint does.

Exit codes: 0 done, 1 --check found an expression that would change or has a
syntax error, 2 invalid usage, or a file cannot be read or is not TOML.

Examples:
  perturb objective fmt
  perturb objective fmt objectives/ --diff
  perturb objective fmt --check --format github
  cat wind.toml | perturb objective fmt - --stdin-filename wind.toml
`;

export const args = [argument('[paths...]', 'files, directories, globs, or - for stdin')] as const;

export const options = [
  option('--check', 'list the files that would change, and change nothing'),
  option('--diff', 'show the lines that would change, and change nothing'),
  ...reportOptions,
  stdinFilenameOption,
  configOption,
] as const;

export const run: CommandHandler<typeof args, typeof options> = async (context, [paths], flags) => {
  const { io, color } = context;
  const { format, maxWarnings, maxFindings, statistics, quiet } = flags;
  const asked = [maxWarnings, maxFindings, statistics, quiet].some((flag) => flag !== undefined);
  const reports = asked || format.length > 0;
  if (reports && !flags.check) {
    const help = 'Add --check, or remove --format, --quiet, --statistics and limits of findings.';
    throw usageFailure('only --check writes a report', help);
  }
  const config = await readConfig(context, flags.config);
  const { files, problems } = await selectFiles(paths, config, io.cwd);
  const findings: Finding[] = [];
  const changed: string[] = [];
  let hasErrors = false;
  const read = await readEach(io, files, flags, 'files formatted', async (path, shown, bytes) => {
    const decoded = decodeSource(shown, bytes);
    const { source } = decoded;
    const isText = decoded.invalid.length === 0;
    const formatted = isText ? formatObjective(decoded) : undefined;
    if (formatted === undefined) {
      return `${shown} is not valid ${isText ? 'TOML' : 'UTF-8'}: perturb objective lint shows the error`;
    }
    tellLeftAlone(io, source, formatted);
    const isChanged = formatted.edits.length > 0;
    if (isChanged) changed.push(shown);
    findings.push(...findingsOf(source, formatted));
    hasErrors ||= formatted.leftAlone.some(({ reason }) => reason === 'syntax');
    const text = (source.bom ? '\ufeff' : '') + formatted.text;
    if (flags.diff) {
      if (isChanged) io.stdout.write(await fileDiff(shown, source.text, formatted.text));
    } else if (!flags.check) {
      if (path === '-') io.stdout.write(text);
      else if (isChanged) writeNamedFile(io.cwd, path, Buffer.from(text));
    }
    return undefined;
  });
  const unread = [...problems, ...read.unread];
  if (reports) {
    // Only the diff goes to stdout, for piping into another program.
    const reportIo = flags.diff ? { ...io, stdout: io.stderr } : io;
    return report(reportIo, color, flags, {
      ...read,
      findings: arrange(findings),
      rules: [formatRule],
      unread,
    });
  }
  // Programs receive unescaped names.
  const shownName = io.stdout.isTTY === true ? visible : String;
  if (flags.check && !flags.diff) {
    io.stdout.write(changed.map((path) => `${shownName(path)}\n`).join(''));
  }
  for (const line of unread) io.stderr.write(`perturb: ${visible(line)}\n`);
  if (flags.check && files.length > 0) {
    const some = `would change ${changed.length} of`;
    const would = changed.length === 0 ? 'nothing would change in' : some;
    io.stderr.write(`perturb: ${would} ${plural(files.length, 'file')}\n`);
    if (unread.length > 0) return exitCodes.usage;
    return changed.length > 0 || hasErrors ? exitCodes.findings : exitCodes.ok;
  }
  if (!flags.diff && !paths.includes('-') && files.length > 0) {
    const done = changed.length === 0 ? 'nothing to format in' : `formatted ${changed.length} of`;
    io.stderr.write(`perturb: ${done} ${plural(files.length, 'file')}\n`);
  }
  return unread.length > 0 ? exitCodes.usage : exitCodes.ok;
};

const REASONS = {
  syntax: 'it has a syntax error',
  ignore: 'its "perturb: ignore" comment would silence other lines',
} as const;

function tellLeftAlone(io: Io, { path, lines }: SourceFile, { leftAlone }: FormattedObjective) {
  for (const { span, reason } of leftAlone) {
    const { line, column } = lines.position(span.start);
    io.stderr.write(
      `perturb: ${visible(path)}:${line}:${column}: skipped an expression: ${REASONS[reason]}\n`,
    );
  }
}

/** Returns findings without fixes, because fmt has no flag that applies them. */
function findingsOf(file: SourceFile, { edits, leftAlone }: FormattedObjective): Finding[] {
  const finding = (span: Span, message: string, help: string): Finding => ({
    rule: formatRule.id,
    severity: formatRule.severity,
    message,
    help,
    file,
    span,
  });
  const unread = leftAlone.filter(({ reason }) => reason === 'syntax');
  return [
    ...edits.map(({ span }) =>
      finding(span, 'the expression is not formatted', 'run perturb objective fmt'),
    ),
    ...unread.map(({ span }) =>
      finding(span, 'the expression has a syntax error', 'perturb objective lint shows it'),
    ),
  ];
}
