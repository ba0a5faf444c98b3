import { resolve } from 'node:path';
import { wrap } from '../../basics/index.js';
import { MAX_INPUT_BYTES, readInput } from '../../durable/index.js';
import { escapeLines, type ReporterContext, toVersionedJson } from '../../reporters/index.js';
import type { TableStyle } from '../../reporters/terminal/index.js';
import { defined } from '../../values/index.js';
import { rulePageUrl } from '../../version.js';
import {
  type CommandContext,
  type ExitCode,
  exitCodes,
  fileFailure,
  type Io,
  type Output,
  usageFailure,
} from './command.js';
import type { FormatFlags } from './options.js';

/**
 * Returns an output without a width of 0, which some terminals report instead of an unknown width.
 */
export function withKnownWidth(output: Output): Output {
  const { isTTY = false, columns } = output;
  return columns === 0 ? { write: (text) => output.write(text), isTTY } : output;
}

/**
 * Returns an output that wraps plain lines at spaces on a terminal, and keeps their indentation.
 */
export function withWrappedLines(output: Output): Output {
  const { columns } = output;
  if (output.isTTY !== true || columns === undefined) return output;
  const fold = (line: string) => {
    if (line.length <= columns || line.includes('\x1b')) return line;
    const indent = / */.exec(line)?.[0] ?? '';
    const width = Math.max(1, columns - indent.length);
    return wrap(line.slice(indent.length), width)
      .map((part) => indent + part)
      .join('\n');
  };
  return {
    write: (text) => output.write(text.split('\n').map(fold).join('\n')),
    isTTY: true,
    columns,
  };
}

/**
 * Returns streams that escape control characters from files, names or server responses, but keep
 * Perturb's control sequences. Changes stdout only on a terminal, because otherwise a program reads
 * the output.
 *
 * @param color the colour flag from the command line
 */
export function withEscapedOutput(io: Io, color: boolean | undefined): Io {
  const shown = (output: Output): Output => {
    const { isTTY, columns } = output;
    const keepsOwn = isTTY === true || wantsColor(output, io.env, color);
    return {
      write: (text) => output.write(escapeLines(text, keepsOwn)),
      ...defined({ isTTY, columns }),
    };
  };
  const stdout = io.stdout.isTTY === true ? shown(io.stdout) : io.stdout;
  return {
    // Opened on first use.
    get stdin() {
      return io.stdin;
    },
    get stderr() {
      return shown(io.stderr);
    },
    stdout,
    env: io.env,
    cwd: io.cwd,
  };
}

const opened = new WeakSet<Io['stdin']>();

/**
 * Returns stdin's bytes in chunks.
 *
 * @throws CommandFailure (usage) if stdin was opened before
 */
export function openStdin({ stdin, stderr }: Io): AsyncIterable<Uint8Array> {
  if (opened.has(stdin)) throw usageFailure('stdin can be read only once: pass only one -');
  opened.add(stdin);
  if (stdin.isTTY === true) stderr.write('perturb: reading from the terminal; end with Ctrl-D\n');
  return stdin;
}

/**
 * Reads stdin to its end.
 *
 * @throws CommandFailure (usage) if the input exceeds the maximum file size
 */
export async function readStdin(io: Io): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of openStdin(io)) {
    length += chunk.length;
    if (length > MAX_INPUT_BYTES) {
      throw usageFailure('cannot read stdin: it is larger than 64 MiB');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads an input that the user named: a file, a pipe, or `-` for stdin.
 *
 * @throws CommandFailure (usage) if the input cannot be read
 */
export async function readInputArgument(io: Io, word: string): Promise<Uint8Array> {
  return word === '-' ? readStdin(io) : readNamedFile(io, word);
}

/**
 * Reads a file or a pipe that the user named.
 *
 * @throws CommandFailure (usage) if the file cannot be read
 */
export function readNamedFile({ cwd }: Pick<Io, 'cwd'>, path: string, help?: string): Buffer {
  try {
    return readInput(resolve(cwd, path), { pipe: true }).bytes;
  } catch (error) {
    throw fileFailure('read', path, error, help);
  }
}

/**
 * True if an output should be coloured. The first applicable criterion decides: the flag, a
 * nonempty `NO_COLOR`, a nonempty `FORCE_COLOR` (`0` and `false` mean no), and the terminal's
 * support for colours. Empty variables count as unset, as specified by no-color.org.
 */
export function wantsColor(output: Output, env: Io['env'], flag: boolean | undefined): boolean {
  if (flag !== undefined) return flag;
  if (env['NO_COLOR']) return false;
  const force = env['FORCE_COLOR'];
  if (force) return force !== '0' && force !== 'false';
  return output.isTTY === true && env['TERM'] !== 'dumb';
}

/**
 * True if the output can show only ASCII, because the terminal is dumb, or the locale has an
 * encoding other than UTF-8. As in POSIX, the first variable that is set determines the locale.
 */
export function isAscii(env: Io['env']): boolean {
  if (env['TERM'] === 'dumb') return true;
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'];
  return locale !== undefined && locale !== '' && !/utf-?8/i.test(locale);
}

const TERMINALS: ReadonlySet<string> = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty']);
/** Environment variables set by terminals that support links. */
const VARIABLES = ['KITTY_WINDOW_ID', 'KONSOLE_VERSION', 'WT_SESSION'] as const;
const VTE_WITH_LINKS = 5_000;

/** True if an output is a terminal known to support links (OSC 8). */
export function supportsLinks(output: Output, env: Io['env']): boolean {
  if (output.isTTY !== true || env['TERM'] === 'dumb') return false;
  return (
    TERMINALS.has(env['TERM_PROGRAM'] ?? '') ||
    VARIABLES.some((name) => env[name] !== undefined) ||
    /^(?:xterm-kitty|alacritty|foot)/.test(env['TERM'] ?? '') ||
    Number(env['VTE_VERSION'] ?? 0) >= VTE_WITH_LINKS
  );
}

/**
 * Returns a reporter's context for an output.
 *
 * @param root the repository's root, needed only by formats for programs
 */
export function contextFor(
  io: Io,
  output: Output,
  color: boolean | undefined,
  root = io.cwd,
): ReporterContext {
  return {
    color: wantsColor(output, io.env, color),
    ...(output.columns !== undefined && { width: output.columns }),
    ascii: isAscii(io.env),
    ...(supportsLinks(output, io.env) && { pageOf: rulePageUrl }),
    directory: io.cwd,
    root,
  };
}

/** The style of tables in a file. */
export const PLAIN_STYLE: TableStyle = { title: (text) => text };

export function tableLook({ io, color }: CommandContext): TableStyle {
  const bold = wantsColor(io.stdout, io.env, color);
  return {
    ...(io.stdout.isTTY && io.stdout.columns !== undefined && { width: io.stdout.columns }),
    title: (text) => (bold ? `\x1b[1m${text}\x1b[22m` : text),
  };
}

/** Prints a command's result as a JSON object or as text. */
export async function printResult(
  context: CommandContext,
  { format }: FormatFlags,
  members: object,
  text: (look: TableStyle) => string | Promise<string>,
): Promise<ExitCode> {
  const isJson = format === 'json';
  context.io.stdout.write(isJson ? toVersionedJson(members) : await text(tableLook(context)));
  return exitCodes.ok;
}
