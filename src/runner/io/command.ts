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

/** Where the session of an attempt is, and what it is made from. */
export function attemptFiles(
  directory: string,
  { n, baseline }: Pick<AttemptRecord, 'n' | 'baseline'>,
) {
  const name = baseline ? `baseline-${n}` : String(n);
  return {
    session: join(directory, `${name}.jsonl`),
    /** What the command writes. */
    events: join(directory, `${name}.events.jsonl`),
    output: join(directory, `${name}.output`),
  };
}

/** The variable by which the processes of an attempt are recognized: it holds its file of events. */
export const TOKEN = 'PERTURB_SESSION';

/** How long a command may take to end by itself when its time is over. */
const GRACE_MS = 2_000;
/** How many times to look for what it left behind. */
export const ROUNDS = 200;
/** How long its output may take to arrive when it has ended; only a process that holds it takes that long. */
const DRAIN_MS = 1_000;

/** The command of an attempt. */
interface CommandSetup {
  /** Program and arguments: never a shell. */
  readonly vector: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Its file of events, which no other command has: what inherits it as `TOKEN` ends with the command. */
  readonly events: string;
  /** Where its output is kept. */
  readonly output: string;
  /** What ends it with this process; the entry of the token begins with its prefix. */
  readonly guard: CommandGuard;
}

/** How a command ended. */
export interface CommandExit {
  /** Absent where a signal ended it. */
  readonly status?: number;
  readonly signal?: string;
  /** The last lines that it wrote to stderr. */
  readonly lastLines: readonly string[];
  /** Whether anything that it printed was kept. */
  readonly printed: boolean;
}

export type RunningCommand = Awaited<ReturnType<typeof startCommand>>;

/** Starts a command in a process group of its own. Rejects with the reason, in words. */
export async function startCommand(setup: CommandSetup) {
  const { guard, events } = setup;
  const since = processMoment();
  const output = openOutputFile(setup.output);
  guard.begin(`${TOKEN}=${events}`);
  const child = await spawned(setup).catch((error: unknown) => {
    guard.ended();
    throw new Error(notStarted(setup.vector[0] ?? '', error));
  });
  output.listen(child.stdout);
  output.listen(child.stderr);
  const lastLines = keepLastLines(child.stderr);
  const group = child.pid as number;
  guard.leads(group);
  let killing: NodeJS.Timeout | undefined;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const clear = async (): Promise<CommandExit> => {
    await exited;
    clearTimeout(killing);
    killGroup(group, 'SIGKILL');
    await endOrphanProcesses({ variable: TOKEN, values: [events], rounds: ROUNDS, since });
    guard.ended();
    // A process that was left behind may hold the pipes.
    await Promise.race([closed, pause(DRAIN_MS)]);
    child.stdout?.destroy();
    child.stderr?.destroy();
    const { exitCode, signalCode } = child;
    return {
      ...(exitCode !== null && { status: exitCode }),
      ...(signalCode !== null && { signal: signalCode }),
      lastLines: lastLines(),
      printed: output.close(),
    };
  };
  return {
    /** Resolves when the command and all that it has left behind have ended. */
    ended: clear(),
    /** Tells the command to end, and kills it if it does not; false where it has ended by itself. */
    end(): boolean {
      if (child.exitCode !== null || child.signalCode !== null) return false;
      if (killing !== undefined) return true;
      killGroup(group, 'SIGTERM');
      killing = setTimeout(() => killGroup(group, 'SIGKILL'), GRACE_MS);
      return true;
    },
    /** Kills it at once. */
    kill: () => killGroup(group, 'SIGKILL'),
  };
}

async function spawned({ vector, cwd, env: more, events }: CommandSetup): Promise<ChildProcess> {
  const [program = '', ...args] = vector;
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe'];
  const env = { ...more, [TOKEN]: events };
  const child = spawn(program, args, { cwd, env, detached: true, stdio });
  await once(child, 'spawn');
  return child;
}

function notStarted(program: string, error: unknown): string {
  const reason = codeOf(error) === 'ENOENT' ? 'there is no such program' : codeOf(error);
  return `the command ${quote(program)} could not be started: ${reason ?? String(error)}`;
}

/** How much of a command's output is kept; the rest is read, so that the command can go on, and dropped. */
const MOST = 1024 * 1024;

/**
 * Keeps the beginning of what a command prints. The file is made anew when something is printed: the command
 * may have put something else there. A full disk loses output, and nothing else.
 */
function openOutputFile(path: string) {
  let file: number | undefined;
  let left = MOST;
  const write = (bytes: Uint8Array): void => {
    if (left <= 0) return;
    try {
      if (file === undefined) {
        rmSync(path, { recursive: true, force: true });
        file = openSync(path, 'wx', 0o600);
      }
      writeSync(file, bytes.subarray(0, left));
      left -= bytes.length;
      if (left <= 0) writeSync(file, `\n[more than ${MOST} bytes: the rest was dropped]\n`);
    } catch {
      left = 0;
    }
  };
  return {
    listen: (stream: Readable | null) => void stream?.on('data', write).on('error', () => {}),
    /** Takes no more. @returns whether anything was kept */
    close(): boolean {
      left = 0;
      if (file !== undefined) closeSync(file);
      return file !== undefined;
    },
  };
}

/*
 * A run that is killed cannot end its command. So a small shell waits beside it, in a session of its
 * own, at the other end of a pipe. If the pipe closes before the command has ended, whatever the
 * reason, it kills the group of the command, and then whatever carries its token, until twenty looks
 * in a row find nothing. (`kill -KILL -- -N` is an error in dash.)
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

/** The variable by which what waits beside commands is recognized. */
const GUARD_TOKEN = 'PERTURB_GUARD';

/** Not the prefix of the tokens itself: whoever looks for commands must not find this. */
function guardToken(prefix: string): string {
  return createHash('sha256').update(prefix).digest('hex');
}

/**
 * Ends what still waits beside the command of a run that was killed, and would end that of a run which
 * continues it, because its token is the same.
 *
 * @param prefix what `openGuard` was given
 */
export async function endOldGuard(prefix: string): Promise<void> {
  await endOrphanProcesses({ variable: GUARD_TOKEN, values: [guardToken(prefix)], rounds: ROUNDS });
}

/** Starts waiting. @param prefix what the entries of all tokens begin with; a name on one line follows */
export function openGuard(prefix: string) {
  let shell = startShell(prefix);
  return {
    /** A command is about to start. @param entry of its environment: its token */
    begin(entry: string): void {
      // A command may have ended it.
      if (shell.exitCode !== null || shell.signalCode !== null) shell = startShell(prefix);
      shell.stdin.write(`begin ${entry.slice(prefix.length)}\n`);
    },
    /** It has started: it leads this group. */
    leads: (group: number) => void shell.stdin.write(`group ${group}\n`),
    /** It has ended, and all that it has left behind. */
    ended: () => void shell.stdin.write('ended\n'),
    /** There is no further command. */
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
  // Without a shell there is no guard; a resumed run still looks for what was left.
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  return shell;
}
