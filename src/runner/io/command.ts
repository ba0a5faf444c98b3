import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { quote } from '../../diagnostics/index.js';
import { codeOf, endOrphanProcesses, killGroup, processMoment } from '../../durable/index.js';
import type { AttemptRecord } from '../journal/records.js';
import { keepLastLines } from '../short-command.js';

/** Returns the paths of an attempt's session, and of its sources. */
export function attemptFiles(
  directory: string,
  { n, baseline }: Pick<AttemptRecord, 'n' | 'baseline'>,
) {
  const name = baseline ? `baseline-${n}` : String(n);
  return {
    session: join(directory, `${name}.jsonl`),
    /** The file that the command writes. */
    events: join(directory, `${name}.events.jsonl`),
    output: join(directory, `${name}.output`),
  };
}

/** The variable that identifies the processes of an attempt: it holds its file of events. */
export const TOKEN = 'PERTURB_SESSION';

/** Grace period for a command to end by itself when its time is over. */
const GRACE_MS = 2_000;
/** Maximum number of searches for processes that it left running. */
export const ROUNDS = 200;
/** Timeout for its output when it has ended; only a process that holds the output takes that long. */
const DRAIN_MS = 1_000;

/** The command of an attempt. */
interface CommandSetup {
  /** Program and arguments: never a shell. */
  readonly vector: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Its file of events, which no other command has: processes that inherit it as `TOKEN` end with the command. */
  readonly events: string;
  /** The file for its output. */
  readonly output: string;
  /** Ends it with this process; the entry of the token begins with the guard's prefix. */
  readonly guard: CommandGuard;
}

/** The end of a command. */
export interface CommandExit {
  /** Absent if a signal ended it. */
  readonly status?: number;
  readonly signal?: string;
  /** The last lines that it wrote to stderr. */
  readonly lastLines: readonly string[];
  /** True if any of its output was kept. */
  readonly hasOutput: boolean;
}

export type RunningCommand = Awaited<ReturnType<typeof startCommand>>;

/** Starts a command in a process group of its own. Rejects with the reason, in words. */
export async function startCommand(setup: CommandSetup) {
  const { guard, events } = setup;
  const since = processMoment();
  const output = openOutputFile(setup.output);
  guard.begin(`${TOKEN}=${events}`);
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
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const awaitEnd = async (): Promise<CommandExit> => {
    await exited;
    clearTimeout(killTimer);
    killGroup(group, 'SIGKILL');
    await endOrphanProcesses({ variable: TOKEN, values: [events], rounds: ROUNDS, since });
    guard.ended();
    // A process that was left running may hold the pipes.
    await Promise.race([closed, pause(DRAIN_MS)]);
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
    /** Resolves when the command and all processes that it has left running have ended. */
    ended: awaitEnd(),
    /** Signals the command to end, and kills it after the grace period; false if it has ended by itself. */
    end(): boolean {
      if (child.exitCode !== null || child.signalCode !== null) return false;
      if (killTimer !== undefined) return true;
      killGroup(group, 'SIGTERM');
      killTimer = setTimeout(() => killGroup(group, 'SIGKILL'), GRACE_MS);
      return true;
    },
    /** Kills it at once. */
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
  const env = { ...variables, [TOKEN]: events };
  const child = spawn(program, args, { cwd, env, detached: true, stdio });
  await once(child, 'spawn');
  return child;
}

function describeStartFailure(program: string, error: unknown): string {
  const reason = codeOf(error) === 'ENOENT' ? 'there is no such program' : codeOf(error);
  return `the command ${quote(program)} could not be started: ${reason ?? String(error)}`;
}

/**
 * Maximum number of bytes of a command's output to keep; the rest is read, which lets the command continue, and
 * dropped.
 */
const MAX_OUTPUT_BYTES = 1024 * 1024;

/**
 * Keeps the beginning of a command's output. The file is recreated for the first output, because the command may
 * have put something else there. A full disk loses output, and nothing else.
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
    /** Ends the output. @returns true if anything was kept */
    close(): boolean {
      remaining = 0;
      if (file !== undefined) closeSync(file);
      return file !== undefined;
    },
  };
}

/*
 * A run that is killed cannot end its command. So a small shell waits beside it, in a session of its own, at the
 * other end of a pipe. If the pipe closes before the command has ended, for any reason, it kills the group of the
 * command, and then all processes with its token, until twenty searches in a row find nothing. (`kill -KILL -- -N`
 * is an error in dash.)
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
while [ $nobody -lt 20 ] && [ $rounds -lt ${ROUNDS} ]; do
  rounds=$((rounds + 1)) nobody=$((nobody + 1))
  for found in $(grep -lszxFe "$1$name" /proc/[0-9]*/environ); do
    found=\${found#/proc/}
    kill -s KILL "\${found%/environ}" && nobody=0
  done
done
`;

/** Ends commands, one after another, with this process, even when it is killed. */
export type CommandGuard = ReturnType<typeof openGuard>;

/** The variable that identifies the shell beside a command. */
const GUARD_TOKEN = 'PERTURB_GUARD';

/** Differs from the prefix of the tokens itself, because a search for commands must not find the shell. */
function guardToken(prefix: string): string {
  return createHash('sha256').update(prefix).digest('hex');
}

/**
 * Ends the shell that still waits beside the command of a killed run: it would end that of a continuation, because
 * its token is the same.
 *
 * @param prefix the argument of `openGuard`
 */
export async function endOldGuard(prefix: string): Promise<void> {
  await endOrphanProcesses({ variable: GUARD_TOKEN, values: [guardToken(prefix)], rounds: ROUNDS });
}

/** Starts the guard. @param prefix of the entries of all tokens, without a line end; a name follows */
export function openGuard(prefix: string) {
  let shell = startShell(prefix);
  return {
    /** Announces the start of a command. @param entry of its environment: its token */
    begin(entry: string): void {
      // A command may have killed the shell.
      if (shell.exitCode !== null || shell.signalCode !== null) shell = startShell(prefix);
      shell.stdin.write(`begin ${entry.slice(prefix.length)}\n`);
    },
    /** Sets the process group of the started command. */
    leads: (group: number) => void shell.stdin.write(`group ${group}\n`),
    /** Ends the guarding of a command that has ended with all processes that it left running. */
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
  // Without a shell there is no guard; a resumed run still searches for remaining processes.
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  return shell;
}
