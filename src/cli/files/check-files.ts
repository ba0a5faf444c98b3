import { resolve } from 'node:path';
import { plural } from '../../basics/index.js';
import { type Finding, fixBytes, hasFix } from '../../diagnostics/index.js';
import { readInput } from '../../durable/index.js';
import { type DecodedSource, decodeSource } from '../../source/index.js';
import { fileErrorReason, type Io, usageFailure } from '../runtime/command.js';
import { type FlagsOf, option } from '../runtime/declare.js';
import { readStdin } from '../runtime/io.js';
import type { stdinFilenameOption } from '../runtime/options.js';
import { holdInterrupts, startProgress } from '../runtime/progress.js';
import { fileDiff, writeNamedFile } from './write-file.js';

/** The options for fixes. */
export const fixOptions = [
  option('--fix', 'apply safe fixes to the files; with -, print the fixed text'),
  option('--fix-dry-run', 'show safe fixes as a diff without applying them'),
  option(
    '--suggested',
    'with --fix or --fix-dry-run: include suggested fixes, which may change the meaning',
  ),
] as const;

/** The flags for fixes, and for stdin's file name. */
export type FixFlags = FlagsOf<readonly [...typeof fixOptions, typeof stdinFilenameOption]>;

/** Throws a CommandFailure (usage) for conflicting flags. */
export function refuseContradictions(flags: FixFlags): void {
  if (flags.fix && flags.fixDryRun) {
    throw usageFailure('--fix and --fix-dry-run cannot be combined', 'Use only one of them.');
  }
  if (flags.suggested && !flags.fix && !flags.fixDryRun) {
    throw usageFailure('--suggested needs --fix or --fix-dry-run', 'Add one of them.');
  }
}

/**
 * Returns the streams for reports. Reports go to stderr if stdout is for a fixed text or a diff.
 */
export function ioForReports(io: Io, flags: FixFlags, paths: readonly string[]): Io {
  const isTaken = flags.fixDryRun || (flags.fix && paths.includes('-'));
  return isTaken ? { ...io, stdout: io.stderr } : io;
}

/** Returns a file's name in findings. */
export function displayPath(
  path: string,
  { stdinFilename }: Pick<FixFlags, 'stdinFilename'>,
): string {
  return path === '-' ? (stdinFilename ?? path) : path;
}

/**
 * Reads files one after another, and shows progress.
 *
 * @param files paths as typed; `-` for stdin
 * @param work receives a file's path, its name in findings and its bytes; may return a reason for
 *   counting the file as unread
 * @returns the number of files read, and a line for each unread file
 */
export async function readEach(
  io: Io,
  files: readonly string[],
  flags: Pick<FixFlags, 'stdinFilename'>,
  noun: string,
  work: (path: string, shown: string, bytes: Uint8Array) => Promise<string | undefined>,
) {
  const unread: string[] = [];
  const progress = startProgress(io, files.length, noun);
  for (const path of files) {
    let bytes: Uint8Array;
    try {
      bytes = path === '-' ? await readStdin(io) : readInput(resolve(io.cwd, path)).bytes;
    } catch (error) {
      unread.push(`cannot read ${path}: ${fileErrorReason(error)}`);
      continue;
    }
    const problem = await work(path, displayPath(path, flags), bytes);
    if (problem !== undefined) unread.push(problem);
    progress.step();
  }
  progress.end();
  return { unread, fileCount: files.length - unread.length };
}

/**
 * Checks files one after another. With `fix`, writes the fixed files (stdin's text to stdout) and
 * returns the remaining findings. With `fixDryRun`, prints a diff to stdout and returns all
 * findings.
 *
 * @returns the findings, and the result of {@link readEach}
 * @throws CommandFailure (usage) if a fixed file cannot be written
 */
export async function checkEach(
  io: Io,
  files: readonly string[],
  flags: FixFlags,
  findingsOf: (decoded: DecodedSource, bytes: Uint8Array) => readonly Finding[],
) {
  const findings: Finding[] = [];
  let fixedCount = 0;
  const interrupts = flags.fix ? holdInterrupts() : undefined;
  const read = await readEach(io, files, flags, 'files checked', async (path, shown, bytes) => {
    await interrupts?.pass();
    const check = (content: Uint8Array) => findingsOf(decodeSource(shown, content), content);
    let found = check(bytes);
    let remaining = bytes;
    if ((flags.fix || flags.fixDryRun) && found.some((finding) => hasFix(finding, flags))) {
      const fixed = fixBytes(shown, bytes, check, flags);
      if (flags.fixDryRun) {
        const [old = '', now = ''] = [bytes, fixed.bytes].map((one) =>
          new TextDecoder().decode(one),
        );
        io.stdout.write(await fileDiff(shown, old, now));
      } else if (fixed.changed) {
        if (path !== '-') writeNamedFile(io.cwd, path, fixed.bytes);
        remaining = fixed.bytes;
        found = fixed.findings;
        fixedCount += 1;
      }
    }
    if (flags.fix && path === '-') {
      const { source, invalid } = decodeSource(shown, remaining);
      if (invalid.length === 0) io.stdout.write((source.bom ? '\ufeff' : '') + source.text);
    }
    for (const finding of found) findings.push(finding);
    return undefined;
  });
  interrupts?.release();
  if (flags.fix) io.stderr.write(`perturb: fixed ${plural(fixedCount, 'file')}\n`);
  return { ...read, findings };
}
