import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../../durable/index.js';
import type { Guard } from './guard.js';
import { openOutputFile } from './output-file.js';
import { endStrays } from './strays.js';

/** How long a command may take to end by itself when its time is over. */
const GRACE_MS = 2_000;
/** How long its output may take to arrive when it has ended; only a process that holds it takes so long. */
const DRAIN_MS = 1_000;

/** The command of an attempt. */
export interface CommandSetup {
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
    signal(group, 'SIGKILL');
    await endStrays(setup.token, setup.env[setup.token] ?? '');
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
      signal(group, 'SIGTERM');
      killing = setTimeout(() => signal(group, 'SIGKILL'), GRACE_MS);
    },
    kill: () => signal(group, 'SIGKILL'),
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

function signal(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name);
  } catch {
    // All of it has ended.
  }
}
