import { resolve } from 'node:path';
import { applyLevels, arrange, type Finding } from '../../diagnostics/index.js';
import { check, expressionRules, type Role } from '../../expression/index.js';
import { decodeSource, SourceFile } from '../../source/index.js';
import { readConfig } from '../config/config.js';
import { report } from '../files/report.js';
import { isRegularFile } from '../files/walk.js';
import { type CommandContext, type ExitCode, type Io, usageFailure } from '../runtime/command.js';
import { readNamedFile, readStdin } from '../runtime/io.js';
import type { FormatFlags } from '../runtime/options.js';

/**
 * Reads and checks an expression, passed as text or as a file. Uses the rule levels in
 * perturb.toml.
 */
export async function checkArgument(
  context: CommandContext,
  argument: string,
  flags: { readonly config?: string; readonly stdinFilename?: string },
  role: Role,
) {
  const config = await readConfig(context, flags.config);
  const { levels } = config;
  const file = await sourceOf(context.io, argument, flags);
  const { expression, findings } = check(file.text, { role, place: () => file, levels });
  return { file, config, expression, findings: arrange(applyLevels(findings, levels)) };
}

/**
 * Reports an expression's findings. The pretty format omits fixes, because the command has no
 * `--fix`.
 *
 * @param beside additional members of the JSON output
 */
export function reportExpression(
  { io, color }: CommandContext,
  { format }: FormatFlags,
  all: readonly Finding[],
  beside: object,
): Promise<ExitCode> {
  const findings = format === 'json' ? all : all.map(({ fix: _, ...finding }) => finding);
  const noun = 'expression' as const;
  const outcome = { findings, fileCount: 1, noun, rules: expressionRules, unread: [], beside };
  return report(io, color, { format: [{ format }] }, outcome);
}

/**
 * Returns an expression's source: a file, stdin, or the argument itself. An argument that names an
 * existing file is always read as a file.
 */
async function sourceOf(
  io: Io,
  argument: string,
  { stdinFilename }: { readonly stdinFilename?: string },
): Promise<SourceFile> {
  if (argument === '-') {
    return decode('stdin', stdinFilename ?? '-', await readStdin(io));
  }
  const path = resolve(io.cwd, argument);
  if (!isRegularFile(path) && !argument.endsWith('.trace')) {
    return new SourceFile('expression', argument);
  }
  return decode(argument, argument, readNamedFile(io, argument));
}

function decode(what: string, path: string, bytes: Uint8Array): SourceFile {
  const { source, invalid } = decodeSource(path, bytes);
  if (invalid.length > 0) throw usageFailure(`${what} is not UTF-8`);
  return source;
}
