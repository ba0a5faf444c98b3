import { wrap } from '../../reporters/index.js';
import { exitCodes } from './exit-codes.js';
import { Failure } from './failure.js';

/** What a command may use of the outside world; `bin` passes the process's own. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array> & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export interface Output {
  write(text: string): void;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** An output without a width of 0, which some terminals report when they do not know theirs. */
export function ofKnownWidth(output: Output): Output {
  const { isTTY = false, columns } = output;
  return columns === 0 ? { write: (text) => output.write(text), isTTY } : output;
}

/** An output that breaks plain lines between words on a terminal, and keeps their indentation. */
export function breakingLines(output: Output): Output {
  const { columns } = output;
  if (output.isTTY !== true || columns === undefined) return output;
  const fold = (line: string) => {
    if (line.length <= columns || line.includes('\x1b')) return line;
    const indent = / */.exec(line)?.[0] ?? '';
    const width = Math.max(1, columns - indent.length);
    return wrap(line.slice(indent.length), width, (part) => part.length)
      .map((part) => indent + part)
      .join('\n');
  };
  return {
    write: (text) => output.write(text.split('\n').map(fold).join('\n')),
    isTTY: true,
    columns,
  };
}

const opened = new WeakSet<Io['stdin']>();

/**
 * The bytes of stdin in pieces.
 *
 * @throws Failure (usage) when they were read before: a command can name stdin once
 */
export function openStdin({ stdin, stderr }: Io): AsyncIterable<Uint8Array> {
  if (opened.has(stdin))
    throw new Failure(exitCodes.usage, 'stdin can be read only once: give one -');
  opened.add(stdin);
  if (stdin.isTTY === true) stderr.write('perturb: reading from the terminal; end with Ctrl-D\n');
  return stdin;
}

/** Reads stdin to its end. */
export async function readStdin(io: Io): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of openStdin(io)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Whether to colour an output. The first of these decides: the flag, `NO_COLOR`,
 * `FORCE_COLOR` (`0` and `false` mean no), and whether it is a terminal that
 * can. An empty variable counts as unset, as no-color.org has it.
 */
export function wantsColor(output: Output, env: Io['env'], flag: boolean | undefined): boolean {
  if (flag !== undefined) return flag;
  if (env['NO_COLOR']) return false;
  const force = env['FORCE_COLOR'];
  if (force) return force !== '0' && force !== 'false';
  return output.isTTY === true && env['TERM'] !== 'dumb';
}
