import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { quote } from '../diagnostics/index.js';
import { codeOf, killGroup } from '../durable/index.js';
import { durationText } from '../values/index.js';

/** Maximum number of final stderr lines to report. */
const LAST_LINES = 3;
const LAST_BYTES = 4_096;
const MAX_LINE_LENGTH = 200;
/** Timeout for reading the rest of stderr after the command has ended. */
const DRAIN_MS = 1_000;

/** Buffers the end of a stream. @returns a function that returns the last nonblank lines */
export function keepLastLines(stream: Readable | null): () => readonly string[] {
  let tail = Buffer.alloc(0);
  stream?.on('data', (bytes: Buffer) => {
    tail = Buffer.concat([tail, bytes]).subarray(-LAST_BYTES);
  });
  return () => {
    const lines = tail.toString('utf8').split(/\r?\n/);
    const nonBlank = lines.filter((line) => line.trim() !== '').slice(-LAST_LINES);
    return nonBlank.map((line) => line.slice(0, MAX_LINE_LENGTH));
  };
}

/** A short-lived command, with a timeout. */
export interface ShortCommand {
  /** The argument vector. No shell interprets it. */
  readonly vector: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Maximum size of stdout in bytes. A larger output kills the command. If absent, stdout is ignored. */
  readonly maxBytes?: number;
  readonly signal: AbortSignal;
}

/** The end of a short command. */
export interface ShortCommandEnd {
  /** Exit status; absent if the command did not start or was ended by a signal. */
  readonly status?: number;
  /** The reason for a missing status: `no-program`, `timeout`, `too-long`, a signal, or a system error code. */
  readonly error?: string;
  readonly stdout: Buffer;
  /** The last nonblank lines of the command's stderr. */
  readonly lastLines: readonly string[];
}

/**
 * Returns the failure message of a command from perturb.toml, with the last stderr lines; undefined if the command
 * succeeded.
 */
export function shortCommandFailure(
  key: string,
  { vector: [program = ''], timeoutMs }: Pick<ShortCommand, 'vector' | 'timeoutMs'>,
  { status, error, lastLines }: ShortCommandEnd,
): string | undefined {
  if (status === 0) return undefined;
  const exitText =
    error === undefined ? `exited with status ${status}` : errorText(error, timeoutMs);
  const quotedLines = lastLines.length > 0 ? `: ${lastLines.join(' | ')}` : '';
  return `the ${quote(key)} command ${quote(program)} ${exitText}${quotedLines}`;
}

function errorText(error: string, timeoutMs: number): string {
  switch (error) {
    case 'timeout':
      return `did not exit within ${durationText(timeoutMs)}`;
    case 'too-long':
      return 'printed more than 64 MiB';
    case 'no-program':
      return 'could not be started: program not found';
    default:
      return `was terminated by ${error}`;
  }
}

/** Runs a command in a new process group, and kills the group at the end. Never rejects. */
export async function runShortCommand(setup: ShortCommand): Promise<ShortCommandEnd> {
  const { vector, cwd, env, timeoutMs, maxBytes, signal } = setup;
  const [program = '', ...args] = vector;
  const stdout = maxBytes === undefined ? 'ignore' : 'pipe';
  let child: ChildProcess;
  try {
    child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', stdout, 'pipe'] });
    await once(child, 'spawn');
  } catch (error) {
    const code = codeOf(error) ?? String(error);
    const reason = code === 'ENOENT' ? 'no-program' : code;
    return { error: reason, stdout: Buffer.alloc(0), lastLines: [] };
  }
  const group = child.pid as number;
  const chunks: Buffer[] = [];
  let size = 0;
  let error: string | undefined;
  const kill = (reason: string): void => {
    error ??= reason;
    killGroup(group, 'SIGKILL');
    // A process outside the group may still hold the pipes open.
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const timer = setTimeout(() => kill('timeout'), timeoutMs);
  const stop = () => kill('aborted');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const lastLines = keepLastLines(child.stderr);
  child.stdout?.on('data', (bytes: Buffer) => {
    size += bytes.length;
    chunks.push(bytes);
    if (size > (maxBytes ?? 0)) kill('too-long');
  });
  if (maxBytes === undefined) {
    // The rest of the group ends with the command. Processes outside the group may keep stderr open until the timeout.
    child.once('exit', () => {
      killGroup(group, 'SIGKILL');
      setTimeout(() => child.stderr?.destroy(), DRAIN_MS);
    });
  }
  await new Promise<void>((resolve) => child.once('close', () => resolve()));
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
  killGroup(group, 'SIGKILL');
  const { exitCode, signalCode } = child;
  const reason = error ?? signalCode ?? undefined;
  return {
    ...(reason !== undefined ? { error: reason } : { status: exitCode ?? 0 }),
    stdout: Buffer.concat(chunks).subarray(0, maxBytes),
    lastLines: lastLines(),
  };
}
