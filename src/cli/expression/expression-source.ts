import { resolve } from 'node:path';
import type { Finding } from '../../diagnostics/index.js';
import { decodeSource, SourceFile } from '../../source/index.js';
import { isRegularFile } from '../files/walk.js';
import { type Io, usageFailure } from '../runtime/command.js';
import { readNamed, readStdin } from '../runtime/io.js';

/** The expression that an argument is or names. The name of an existing file is never an expression. */
export async function sourceOf(
  io: Io,
  argument: string,
  { stdinFilename }: { readonly stdinFilename?: string } = {},
): Promise<SourceFile> {
  if (argument === '-') {
    return decode('stdin', stdinFilename ?? '-', await readStdin(io));
  }
  const path = resolve(io.cwd, argument);
  if (!isRegularFile(path) && !argument.endsWith('.trace')) {
    return new SourceFile('expression', argument);
  }
  return decode(argument, argument, readNamed(io, argument));
}

/** Findings as a format shows them: without fixes for people, as an expression has no `--fix`, only help. */
export function forFormat(format: 'pretty' | 'json', findings: readonly Finding[]): Finding[] {
  return findings.map(({ fix, ...finding }) =>
    format === 'json' && fix !== undefined ? { ...finding, fix } : finding,
  );
}

function decode(what: string, path: string, bytes: Uint8Array): SourceFile {
  const { source, invalid } = decodeSource(path, bytes);
  if (invalid.length > 0) throw usageFailure(`${what} is not UTF-8`);
  return source;
}
