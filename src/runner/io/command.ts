import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, endOrphanProcesses, killGroup } from '../../durable/index.js';

/** Where the session of an attempt is, and what it is made of. */
export function attemptFiles(directory: string, n: number) {
  return {
    session: join(directory, `${n}.jsonl`),
    /** What the command writes. */
    events: join(directory, `${n}.events.jsonl`),
    output: join(directory, `${n}.output`),
  };
}

/** The variable by which the processes of an attempt are known: it holds its file of events. */
export const TOKEN = 'PERTURB_SESSION';

/** How long a command may take to end by itself when its time is over. */
const GRACE_MS = 2_000;
/** So often what it left behind is looked for. */
export const ROUNDS = 200;
/** How long its output may take to arrive when it has ended; only a process that holds it takes so long. */
const DRAIN_MS = 1_000;

/** The command of an attempt. */
interface CommandSetup {
  /** Program and arguments: never a shell. */
  readonly vector: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A variable of `env` that no other process has: who inherits it is ended with the command. */
  readonly token: string;
  /** Where its output is kept. */
  readonly output: string;
}

export interface RunningCommand {
  /** Resolves when the command and all that it has left behind have ended. */
  readonly ended: Promise<void>;
  /** Tells the command to end, and kills it if it does not. */
  end(): void;
  /** Kills it at once. */
  kill(): void;
}

/** Starts a command in a process group of its own. Rejects with the reason, in words. */
export async function startCommand(setup: CommandSetup, guard: Guard): Promise<RunningCommand> {
  const [program = '', ...args] = setup.vector;
  const output = openOutputFile(setup.output);
  const child = spawnOrThrow(program, args, setup);
  output.listen(child.stdout);
  output.listen(child.stderr);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(new Error(notStarted(program, error))));
  });
  const group = child.pid as number;
  guard.begin(group);
  let killing: NodeJS.Timeout | undefined;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const clear = async (): Promise<void> => {
    await exited;
    clearTimeout(killing);
    killGroup(group, 'SIGKILL');
    await endOrphanProcesses(setup.token, [setup.env[setup.token] ?? ''], ROUNDS);
    guard.end(group);
    // A process that was left may hold the pipes.
    await Promise.race([closed, pause(DRAIN_MS)]);
    child.stdout?.destroy();
    child.stderr?.destroy();
    output.close();
  };
  return {
    ended: clear(),
    end() {
      if (killing !== undefined || child.exitCode !== null || child.signalCode !== null) return;
      killGroup(group, 'SIGTERM');
      killing = setTimeout(() => killGroup(group, 'SIGKILL'), GRACE_MS);
    },
    kill: () => killGroup(group, 'SIGKILL'),
  };
}

function spawnOrThrow(program: string, args: readonly string[], setup: CommandSetup): ChildProcess {
  try {
    return spawn(program, args, {
      cwd: setup.cwd,
      env: setup.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    throw new Error(notStarted(program, error));
  }
}

function notStarted(program: string, error: unknown): string {
  const reason = codeOf(error) === 'ENOENT' ? 'there is no such program' : codeOf(error);
  return `the command ${JSON.stringify(program)} could not be started: ${reason ?? String(error)}`;
}

/** So much of a command's output is kept; the rest is read, so that the command can go on, and dropped. */
const MOST = 1024 * 1024;

/** Keeps the beginning of what a command prints. */
interface OutputFile {
  listen(stream: Readable | null): void;
  close(): void;
}

/** The file is made when something is printed. A disk that is full loses output, and nothing else. */
function openOutputFile(path: string): OutputFile {
  let file: number | undefined;
  let left = MOST;
  const write = (bytes: Uint8Array): void => {
    if (left <= 0) return;
    try {
      file ??= openSync(path, 'w', 0o600);
      writeSync(file, bytes.subarray(0, left));
      left -= bytes.length;
      if (left <= 0) writeSync(file, `\n[more than ${MOST} bytes: the rest was dropped]\n`);
    } catch {
      left = 0;
    }
  };
  return {
    listen: (stream) => void stream?.on('data', write).on('error', () => {}),
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
      left = 0;
    },
  };
}

/*
 * A run that is killed cannot end its command. So a small shell waits beside it, in a session of its
 * own, at the other end of a pipe: when the pipe closes, whatever the reason, it kills the process
 * groups that it was told of.
 */

const SCRIPT = `groups=' '
while read -r action group; do
  case $action in
    begin) groups="$groups$group " ;;
    end) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -KILL -- "-$group" 2>/dev/null; done
`;

/** Ends process groups with this process, also when it is killed. */
export interface Guard {
  begin(group: number): void;
  end(group: number): void;
  /** Ends the guard, and the groups that it still has. */
  close(): void;
}

export function startGuard(): Guard {
  const shell: ChildProcess = spawn('/bin/sh', ['-c', SCRIPT], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: {},
  });
  // Without a shell there is no guard; a resumed run still looks for what was left.
  shell.on('error', () => {});
  shell.stdin?.on('error', () => {});
  shell.unref();
  (shell.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  return {
    begin: (group) => void shell.stdin?.write(`begin ${group}\n`),
    end: (group) => void shell.stdin?.write(`end ${group}\n`),
    close: () => void shell.stdin?.end(),
  };
}
