import { existsSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { plural, visible } from '../../basics/index.js';
import {
  type Finding,
  isSelectedBy,
  quote,
  type RuleMeta,
  suggestRule,
} from '../../diagnostics/index.js';
import { readInput } from '../../durable/index.js';
import { fingerprintsOf, safeJson } from '../../reporters/index.js';
import { repositoryRoot } from '../config/config.js';
import { fileFailure, type Io, usageFailure } from '../runtime/command.js';
import { type FlagsOf, option, repeatedOption } from '../runtime/declare.js';
import { contextFor } from '../runtime/io.js';
import type { BaselineFile } from './baseline-record.js';
import { checkReportPath, writeReportFile } from './write-file.js';

/** The options for baselines of existing findings. */
export const baselineOptions = [
  option(
    '--baseline <file>',
    'report only findings that are not in this baseline (default: the one in perturb.toml)',
  ),
  option('--write-baseline <file>', 'write the findings to a baseline').conflicts('baseline'),
] as const;

/**
 * Removes the findings that a baseline contains. Lists obsolete baseline entries on stderr: entries
 * for checked or deleted files that match no finding.
 *
 * @param files the checked files, by their names in findings
 * @throws CommandFailure (usage) if the baseline cannot be read
 */
export async function withoutBaselineFindings(
  io: Io,
  path: string,
  findings: readonly Finding[],
  files: readonly string[],
): Promise<{ readonly findings: readonly Finding[]; readonly known: number }> {
  const { findings: entries } = await readBaseline(io, path);
  const known = new Set(entries.map(({ fingerprint }) => fingerprint));
  const current = await entriesOf(io, findings, path);
  const matched = new Set(current.map(({ fingerprint }) => fingerprint));
  const { isChecked, isDeleted } = filesOf(io, path, files);
  const unused = entries.filter(
    ({ fingerprint, file }) => !matched.has(fingerprint) && (isChecked(file) || isDeleted(file)),
  );
  for (const { file, rule, message } of unused) {
    const entry = `${path}: no longer found: ${file}: ${message} (${rule})`;
    io.stderr.write(`perturb: ${visible(entry)}\n`);
  }
  if (unused.length > 0) {
    io.stderr.write('perturb: remove obsolete entries with --write-baseline\n');
  }
  const left = findings.filter((_, index) => !known.has(current[index]?.fingerprint ?? ''));
  return { findings: left, known: findings.length - left.length };
}

/**
 * Writes the findings to a baseline, and prints the finding count. An existing baseline keeps its
 * entries for other rules, and for other files that still exist.
 *
 * @param files the checked files, by their names in findings
 * @param isChosen true for findings of the requested rules
 * @returns the number of findings
 * @throws CommandFailure (usage) if the file cannot be written, or is not a baseline
 */
export async function writeBaseline(
  io: Io,
  path: string,
  findings: readonly Finding[],
  files: readonly string[],
  isChosen: (finding: Pick<Finding, 'rule'>) => boolean,
): Promise<number> {
  if (path === '-') throw usageFailure('--write-baseline needs a file, not stdout');
  checkReportPath(io.cwd, path);
  const current = await entriesOf(io, findings, path);
  const { isChecked, isDeleted } = filesOf(io, path, files);
  const before = existsSync(resolve(io.cwd, path)) ? await readBaseline(io, path) : undefined;
  const rewritten = new Set(current.map(({ fingerprint }) => fingerprint));
  const kept = (before?.findings ?? []).filter(
    (entry) =>
      !rewritten.has(entry.fingerprint) &&
      !(isChecked(entry.file) && isChosen(entry)) &&
      !isDeleted(entry.file),
  );
  const baseline: BaselineFile = { version: 1, findings: [...kept, ...current] };
  writeReportFile(io.cwd, path, safeJson(baseline));
  const and = kept.length === 0 ? '' : `, and kept ${kept.length} from unchecked files or rules`;
  io.stderr.write(
    `perturb: wrote ${plural(current.length, 'finding')} to ${visible(path)}${and}\n`,
  );
  return current.length;
}

/**
 * Returns predicates for the file names in a baseline's entries. The names are relative to the
 * baseline's directory.
 */
function filesOf({ cwd }: Io, path: string, files: readonly string[]) {
  const checked = new Set(files.map((file) => resolve(cwd, file)));
  const at = (file: string): string => resolve(cwd, dirname(path), file);
  return {
    isChecked: (file: string): boolean => checked.has(at(file)),
    isDeleted: (file: string): boolean => !existsSync(at(file)),
  };
}

/**
 * Returns the baseline entries for findings.
 *
 * @param path the baseline's path; the entries' file names are relative to its directory
 */
async function entriesOf(
  io: Io,
  findings: readonly Finding[],
  path: string,
): Promise<BaselineFile['findings']> {
  const context = contextFor(io, io.stderr, false, repositoryRoot(io.cwd));
  const report = { findings, fileCount: 0, rules: [], version: '' };
  const fingerprints = await fingerprintsOf(report, context);
  return findings.map(({ rule, file, message }, index) => ({
    fingerprint: fingerprints[index] as string,
    rule,
    file: relative(resolve(io.cwd, dirname(path)), resolve(io.cwd, file.path))
      .split(sep)
      .join('/'),
    message,
  }));
}

async function readBaseline(io: Io, path: string): Promise<BaselineFile> {
  const help = 'Write it with --write-baseline.';
  let text: string;
  try {
    text = readInput(resolve(io.cwd, path)).bytes.toString();
  } catch (error) {
    throw fileFailure('read', path, error, help);
  }
  // Loaded only with a baseline, because most lint runs have none.
  const [{ BASELINE_FILE }, { parseRecord }] = await Promise.all([
    import('./baseline-record.js'),
    import('../../records/index.js'),
  ]);
  const read = parseRecord(BASELINE_FILE, text);
  if ('record' in read) return read.record;
  throw usageFailure(`${visible(path)} is not a baseline: ${visible(read.problem)}`, help);
}

const MORE = 'or group/*; may be repeated';

/** The options that filter findings by rule. */
export const ruleFilterOptions = [
  repeatedOption('--only <rules>', `report only this rule, ${MORE}`, 'all rules'),
  repeatedOption('--skip <rules>', `skip this rule, ${MORE}`, 'none'),
] as const;

export type RuleFilterFlags = FlagsOf<typeof ruleFilterOptions>;

/**
 * Returns a predicate for the findings that `--only` and `--skip` select. Always selects findings
 * of mandatory rules, such as invalid TOML.
 *
 * @param rules all rules
 * @throws CommandFailure (usage) if a rule does not exist or cannot be skipped
 */
export function findingFilterOf(
  { only, skip }: RuleFilterFlags,
  rules: readonly RuleMeta[],
): (finding: Pick<Finding, 'rule'>) => boolean {
  const ids = rules.map(({ id }) => id);
  const mandatory = new Set(rules.filter((rule) => rule.mandatory).map(({ id }) => id));
  for (const rule of [...only, ...skip]) {
    if (ids.some((id) => isSelectedBy(id, rule))) continue;
    const noun = rule.endsWith('/*') ? 'group' : 'rule';
    throw usageFailure(`there is no ${noun} ${quote(rule)}`, suggestRule(rule, ids).help);
  }
  const fixed = skip.find((rule) => mandatory.has(rule));
  if (fixed !== undefined) throw usageFailure(`rule "${fixed}" cannot be skipped`);
  return ({ rule }) =>
    mandatory.has(rule) ||
    ((only.length === 0 || only.some((one) => isSelectedBy(rule, one))) &&
      !skip.some((one) => isSelectedBy(rule, one)));
}
