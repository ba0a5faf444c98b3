import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type Finding, type FixOptions, fixBytes, hasFix } from '../../diagnostics/index.js';
import { readInput } from '../../durable/index.js';
import { type DecodedSource, decodeSource } from '../../source/index.js';
import { fileErrorReason, type Io, usageFailure } from '../runtime/command.js';
import { readStdin } from '../runtime/io.js';
import { holdInterrupts, startProgress } from '../runtime/progress.js';
import { unifiedDiff, writeNamed } from './write-file.js';

/** The flags that say what to do with the files beside checking them. */
export interface FixFlags extends FixOptions {
  readonly fix?: true;
  readonly fixDryRun?: true;
  readonly stdinFilename?: string;
}

/** Adds them to a command. */
export function addFixFlags(command: Command): Command {
  return command
    .option('--fix', 'make the safe fixes in the files')
    .option('--fix-dry-run', 'show the safe fixes as a diff, and change nothing')
    .option('--suggested', 'with either: also suggested fixes, which may change the meaning');
}

/** @throws Failure (usage) for those that do not go together */
export function refuseContradictions(flags: FixFlags, paths: readonly string[]): void {
  if (flags.fix && paths.includes('-')) {
    throw usageFailure('--fix cannot change stdin', 'Use --fix-dry-run.');
  }
  if (flags.fix && flags.fixDryRun) {
    throw usageFailure('--fix changes files, and --fix-dry-run does not', 'Give one of them.');
  }
  if (flags.suggested && !flags.fix && !flags.fixDryRun) {
    throw usageFailure('--suggested says which fixes are made', 'Give --fix or --fix-dry-run too.');
  }
}

/** What a file is called in findings. */
export function shownAs(path: string, { stdinFilename }: Pick<FixFlags, 'stdinFilename'>): string {
  return path === '-' ? (stdinFilename ?? path) : path;
}

/**
 * Checks files one after another. With `fix`, writes what can be fixed and gives
 * the findings that are left; with `fixDryRun`, prints the difference on stdout
 * and gives all findings.
 *
 * @param files paths as the user would type them; `-` for stdin
 * @returns also what could not be read, a line for each
 * @throws Failure (usage) when a fixed file cannot be written
 */
export async function checkEach(
  io: Io,
  files: readonly string[],
  flags: FixFlags,
  findingsOf: (decoded: DecodedSource, bytes: Uint8Array) => readonly Finding[],
) {
  const findings: Finding[] = [];
  const unread: string[] = [];
  let fileCount = 0;
  let fixedCount = 0;
  const progress = startProgress(io, files.length, 'files checked');
  const interrupts = flags.fix ? holdInterrupts() : undefined;
  for (const path of files) {
    await interrupts?.pass();
    const shown = shownAs(path, flags);
    const check = (content: Uint8Array): Finding[] => [
      ...findingsOf(decodeSource(shown, content), content),
    ];
    let bytes: Uint8Array;
    try {
      bytes = path === '-' ? await readStdin(io) : readInput(resolve(io.cwd, path)).bytes;
    } catch (error) {
      unread.push(`cannot read ${path}: ${fileErrorReason(error)}`);
      continue;
    }
    let found = check(bytes);
    if ((flags.fix || flags.fixDryRun) && found.some((finding) => hasFix(finding, flags))) {
      const fixed = fixBytes(shown, bytes, check, flags);
      if (flags.fixDryRun) await showDifference(io, shown, bytes, fixed.bytes);
      else if (fixed.changed) {
        writeNamed(io.cwd, path, fixed.bytes);
        found = [...fixed.findings];
        fixedCount += 1;
      }
    }
    for (const finding of found) findings.push(finding);
    fileCount += 1;
    progress.step();
  }
  progress.end();
  interrupts?.release();
  if (flags.fix) {
    io.stderr.write(`perturb: fixed ${fixedCount} ${fixedCount === 1 ? 'file' : 'files'}\n`);
  }
  return { findings, fileCount, unread };
}

async function showDifference(
  io: Io,
  path: string,
  before: Uint8Array,
  after: Uint8Array,
): Promise<void> {
  const [old = '', fixed = ''] = [before, after].map((bytes) => new TextDecoder().decode(bytes));
  io.stdout.write(
    await unifiedDiff({ name: join('a', path), text: old }, { name: join('b', path), text: fixed }),
  );
}
