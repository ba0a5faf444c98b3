import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { quote } from '../../diagnostics/index.js';
import {
  captureProcessMoment,
  codeOf,
  endOrphanProcesses,
  killGroup,
} from '../../durable/index.js';
import type { AttemptRecord } from '../journal/records.js';
import { keepLastLines } from '../short-command.js';

/** Returns the paths of an attempt's recorded session, the command's session file and the command's output. */
export function attemptFiles(
  directory: string,
  { n, baseline }: Pick<AttemptRecord, 'n' | 'baseline'>,
) {
  const name = baseline ? `baseline-${n}` : String(n);
  return {
    session: join(directory, `${name}.jsonl`),
    /** The command's session file. */
    events: join(directory, `${name}.events.jsonl`),
    output: join(directory, `${name}.output`),
  };
}

/**
 * The environment variable that identifies an attempt's processes. The value is the path of the command's session file.
 */
export const TOKEN_VARIABLE = 'PERTURB_SESSION';

/** Grace period between SIGTERM and SIGKILL. */
const GRACE_MS = 2_000;
/** Maximum number of searches for processes left running by a command. */
export const MAX_SEARCHES = 200;
/** Timeout for reading the rest of a command's output. Reached only if a remaining process holds the pipe open. */
const DRAIN_MS = 1_000;

/** Settings for an attempt's command. */
interface CommandSetup {
  /** The argument vector. No shell interprets it. */
  readonly vector: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * The path of the command's session file. Processes that inherit this path in the variable `TOKEN_VARIABLE` end with
   * the command.
   */
  readonly events: string;
  /** The file for the command's output. */
  readonly output: string;
  /** The guard that ends the command when this process ends. The token's entry must begin with the guard's prefix. */
  readonly guard: CommandGuard;
}

/** A command's exit. */
export interface CommandExit {
  /** Exit status; absent if a signal ended the command. */
  readonly status?: number;
  readonly signal?: string;
  /** The last nonblank lines of the command's stderr. */
  readonly lastLines: readonly string[];
  /** True if any output was kept. */
  readonly hasOutput: boolean;
}

export type RunningCommand = Awaited<ReturnType<typeof startCommand>>;

/** Starts a command in a new process group. Rejects with an Error whose message states the reason. */
export async function startCommand(setup: CommandSetup) {
  const { guard, events } = setup;
  const startMoment = captureProcessMoment();
  const output = openOutputFile(setup.output);
  guard.begin(`${TOKEN_VARIABLE}=${events}`);
  const child = await spawnCommand(setup).catch((error: unknown) => {
    guard.ended();
    throw new Error(describeStartFailure(setup.vector[0] ?? '', error));
  });
  output.listen(child.stdout);
  output.listen(child.stderr);
  const lastLines = keepLastLines(child.stderr);
  const group = child.pid as number;
  guard.leads(group);
  let killTimer: NodeJS.Timeout | undefined;
  const exitEvent = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const closeEvent = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const awaitEnd = async (): Promise<CommandExit> => {
    await exitEvent;
    clearTimeout(killTimer);
    killGroup(group, 'SIGKILL');
    await endOrphanProcesses({
      variable: TOKEN_VARIABLE,
      values: [events],
      rounds: MAX_SEARCHES,
      since: startMoment,
    });
    guard.ended();
    // A remaining process may hold the pipes open.
    await Promise.race([closeEvent, pause(DRAIN_MS)]);
    child.stdout?.destroy();
    child.stderr?.destroy();
    const { exitCode, signalCode } = child;
    return {
      ...(exitCode !== null && { status: exitCode }),
      ...(signalCode !== null && { signal: signalCode }),
      lastLines: lastLines(),
      hasOutput: output.close(),
    };
  };
  return {
    /** Resolves when the command and all processes that the command started have ended. */
    ended: awaitEnd(),
    /**
     * Sends SIGTERM to the command's process group, and SIGKILL after the grace period.
     *
     * @returns false if the command had already ended
     */
    end(): boolean {
      if (child.exitCode !== null || child.signalCode !== null) return false;
      if (killTimer !== undefined) return true;
      killGroup(group, 'SIGTERM');
      killTimer = setTimeout(() => killGroup(group, 'SIGKILL'), GRACE_MS);
      return true;
    },
    /** Kills the command at once. */
    kill: () => killGroup(group, 'SIGKILL'),
  };
}

async function spawnCommand({
  vector,
  cwd,
  env: variables,
  events,
}: CommandSetup): Promise<ChildProcess> {
  const [program = '', ...args] = vector;
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe'];
  const env = { ...variables, [TOKEN_VARIABLE]: events };
  const child = spawn(program, args, { cwd, env, detached: true, stdio });
  await once(child, 'spawn');
  return child;
}

function describeStartFailure(program: string, error: unknown): string {
  const reason = codeOf(error) === 'ENOENT' ? 'program not found' : codeOf(error);
  return `the command ${quote(program)} could not be started: ${reason ?? String(error)}`;
}

/** Maximum number of output bytes to keep. Further output is read and discarded, to avoid blocking the command. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

/**
 * Keeps the beginning of a command's output. Recreates the file on the first output, because the command may have put
 * something else at the path. After a write error, drops the remaining output.
 */
function openOutputFile(path: string) {
  let file: number | undefined;
  let remaining = MAX_OUTPUT_BYTES;
  const write = (bytes: Uint8Array): void => {
    if (remaining <= 0) return;
    try {
      if (file === undefined) {
        rmSync(path, { recursive: true, force: true });
        file = openSync(path, 'wx', 0o600);
      }
      writeSync(file, bytes.subarray(0, remaining));
      remaining -= bytes.length;
      if (remaining <= 0)
        writeSync(file, `\n[more than ${MAX_OUTPUT_BYTES} bytes: the rest was dropped]\n`);
    } catch {
      remaining = 0;
    }
  };
  return {
    listen: (stream: Readable | null) => void stream?.on('data', write).on('error', () => {}),
    /** Closes the output file. @returns true if any output was kept */
    close(): boolean {
      remaining = 0;
      if (file !== undefined) closeSync(file);
      return file !== undefined;
    },
  };
}

/*
 * A killed run cannot end its command, so a guard does. The guard is a small shell in its own session that waits at the
 * other end of a pipe. If the pipe closes before the command has ended, the shell kills the command's process group.
 * The shell then kills all processes with the token until twenty consecutive searches find none. (`kill -KILL -- -N` is
 * an error in dash.)
 */

const GUARD = `group= name=
while read -r word value; do
  case $word in
    begin) name=$value group= ;;
    group) group=$value ;;
    ended) name= group= ;;
  esac
done
[ -n "$name" ] || exit 0
[ -z "$group" ] || kill -s KILL -- "-$group"
rounds=0 nobody=0
while [ $nobody -lt 20 ] && [ $rounds -lt ${MAX_SEARCHES} ]; do
  rounds=$((rounds + 1)) nobody=$((nobody + 1))
  for found in $(grep -lszxFe "$1$name" /proc/[0-9]*/environ); do
    found=\${found#/proc/}
    kill -s KILL "\${found%/environ}" && nobody=0
  done
done
`;

/** A guard that ends the current command when this process ends or is killed. */
export type CommandGuard = ReturnType<typeof openGuard>;

/** The environment variable that identifies a guard's shell. */
const GUARD_TOKEN = 'PERTURB_GUARD';

/**
 * Returns the token for a guard's shell. The token differs from command tokens, because a search for a command's
 * processes must not find the shell.
 */
function guardToken(prefix: string): string {
  return createHash('sha256').update(prefix).digest('hex');
}

/**
 * Ends a killed run's guard if it is still running. The guard would otherwise end the resumed run's command, which has
 * the same token.
 *
 * @param prefix the argument of `openGuard`
 */
export async function endOldGuard(prefix: string): Promise<void> {
  await endOrphanProcesses({
    variable: GUARD_TOKEN,
    values: [guardToken(prefix)],
    rounds: MAX_SEARCHES,
  });
}

/** Starts a guard. @param prefix the common prefix of all token entries, without a line break */
export function openGuard(prefix: string) {
  let shell = startShell(prefix);
  return {
    /** Announces a command's start. @param entry the token in the command's environment */
    begin(entry: string): void {
      // A command may have killed the guard's shell.
      if (shell.exitCode !== null || shell.signalCode !== null) shell = startShell(prefix);
      shell.stdin.write(`begin ${entry.slice(prefix.length)}\n`);
    },
    /** Sets the started command's process group. */
    leads: (group: number) => void shell.stdin.write(`group ${group}\n`),
    /** Stops guarding the command after all of its processes have ended. */
    ended: () => void shell.stdin.write('ended\n'),
    /** Closes the guard after the last command. */
    close: () => void shell.stdin.end(),
  };
}

function startShell(prefix: string) {
  const shell = spawn('/bin/sh', ['-c', GUARD, 'sh', prefix], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: process.env['PATH'], [GUARD_TOKEN]: guardToken(prefix) },
  });
  // Without a shell, there is no guard. A resumed run still searches for remaining processes.
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  return shell;
}
