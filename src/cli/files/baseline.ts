import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Finding } from '../../diagnostics/index.js';
import { fingerprintsOf, toJson } from '../../reporters/index.js';
import { contextFor } from '../config/reporter-context.js';
import { exitCodes } from '../runtime/exit-codes.js';
import { Failure, reasonOf } from '../runtime/failure.js';
import type { Io } from '../runtime/io.js';
import { repositoryRoot } from './repository.js';
import { writeFileAtomically } from './write-file.js';

/** The flags for known findings, which are to be corrected later. */
export interface BaselineFlags {
  readonly baseline?: string;
  readonly writeBaseline?: string;
}

/** Adds the flags of `BaselineFlags` to a command. */
export function addBaselineFlags(command: Command): Command {
  return command
    .option('--baseline <file>', 'report only findings that are not in this baseline')
    .addOption(
      new Option('--write-baseline <file>', 'write the findings to a baseline').conflicts(
        'baseline',
      ),
    );
}

/** A finding as a baseline holds it; all but the fingerprint is for people. */
interface Entry {
  readonly fingerprint: string;
  readonly rule: string;
  readonly file: string;
  readonly message: string;
}

export interface Compared {
  /** The findings that are not in the baseline. */
  readonly findings: readonly Finding[];
  /** How many are. */
  readonly known: number;
}

/**
 * Leaves out the findings that a baseline holds. Its entries for the checked
 * files that no longer match anything are named on stderr.
 *
 * @param files those that were checked, as they are shown
 * @throws Failure (usage) when the baseline cannot be read
 */
export async function withoutKnown(
  io: Io,
  path: string,
  findings: readonly Finding[],
  files: readonly string[],
): Promise<Compared> {
  const entries = readBaseline(io, path);
  const entryOf = new Map(entries.map((entry) => [entry.fingerprint, entry]));
  const current = await entriesOf(io, findings);
  const matched = new Set(current.map(({ fingerprint }) => fingerprint));
  const checked = new Set(files);
  const unused = entries.filter(
    ({ fingerprint, file }) => !matched.has(fingerprint) && checked.has(file),
  );
  for (const { file, rule, message } of unused) {
    io.stderr.write(`perturb: ${path}: no longer found: ${file}: ${message} (${rule})\n`);
  }
  if (unused.length > 0) {
    io.stderr.write('perturb: --write-baseline writes a baseline without them\n');
  }
  const left = findings.filter((_, index) => !entryOf.has(current[index]?.fingerprint ?? ''));
  return { findings: left, known: findings.length - left.length };
}

/** Writes the findings to a baseline; says how many. */
export async function writeBaseline(
  io: Io,
  path: string,
  findings: readonly Finding[],
): Promise<void> {
  const entries = await entriesOf(io, findings);
  try {
    const text = toJson({ version: 1, findings: entries });
    writeFileAtomically(resolve(io.cwd, path), Buffer.from(text));
  } catch (error) {
    throw new Failure(exitCodes.usage, `cannot write ${path}: ${reasonOf(error)}`);
  }
  const noun = entries.length === 1 ? 'finding' : 'findings';
  io.stderr.write(`perturb: wrote ${entries.length} ${noun} to ${path}\n`);
}

async function entriesOf(io: Io, findings: readonly Finding[]): Promise<readonly Entry[]> {
  const context = contextFor(io, io.stderr, false, repositoryRoot(io.cwd));
  const report = { findings, fileCount: 0, rules: [], version: '' };
  const fingerprints = await fingerprintsOf(report, context);
  return findings.map(({ rule, file, message }, index) => ({
    fingerprint: fingerprints[index] as string,
    rule,
    file: file.path,
    message,
  }));
}

function readBaseline(io: Io, path: string): readonly Entry[] {
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, path), 'utf8');
  } catch (error) {
    throw new Failure(
      exitCodes.usage,
      `cannot read ${path}: ${reasonOf(error)}`,
      'Write it with --write-baseline.',
    );
  }
  try {
    const { version, findings } = JSON.parse(text);
    if (version === 1 && Array.isArray(findings)) return findings;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Failure(
    exitCodes.usage,
    `${path} is not a baseline`,
    'Write it with --write-baseline.',
  );
}
