import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { quote } from '../../diagnostics/index.js';
import { codeOf } from '../../durable/index.js';
import { format } from '../../values/index.js';
import { type Mutation, writeMutation } from '../actuator.js';
import { ActuatorError } from '../actuator-error.js';
import type { ActuatorContext } from '../context.js';
import { variableOf } from './format.js';
import { type ProcessFailure, waitForExit } from './process-exit.js';

/** A command with its timeout. */
export interface Command {
  /** The command's name in messages. */
  readonly subject: string;
  readonly vector: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: string;
  readonly timeoutMs: number;
}

/**
 * Runs a command in a separate process group. Returns the failure, or undefined if the command succeeded. Rejects with
 * an ActuatorError for a command that cannot be passed to the system, or if the signal is aborted before the command
 * starts.
 */
export async function runCommand(
  { subject, vector, cwd, env, stdin, timeoutMs }: Command,
  context: ActuatorContext,
  signal: AbortSignal | undefined,
): Promise<ProcessFailure | undefined> {
  for (const text of [...vector, ...Object.values(env)]) {
    // The system would receive a different character in place of an unpaired surrogate.
    if (text?.isWellFormed() === false)
      throw new ActuatorError('bad-value', subject, UNPAIRED_SURROGATE);
  }
  return context.semaphores.commands.run(async () => {
    if (signal?.aborted) throw new ActuatorError('aborted', subject);
    const note = context.running.begin();
    try {
      const child = spawnCommand(subject, vector, cwd, { ...env, ...note.env });
      // A command that exits before reading its input closes the pipe.
      child.stdin?.on('error', () => {}).end(stdin);
      const failure = await waitForExit(child, timeoutMs, signal);
      // A process that has left the process group may still be running.
      if (failure !== undefined && wasTerminated(failure)) await note.killAll(child.pid);
      // The system reports a missing command and a missing directory in the same way.
      const isMissingDirectory = failure?.code === 'not-started' && !existsSync(cwd);
      return isMissingDirectory
        ? { ...failure, detail: `there is no directory ${quote(cwd)}` }
        : failure;
    } finally {
      note.end();
    }
  }, signal);
}

/** True if a command was terminated before exiting normally. */
export function wasTerminated({ code }: ProcessFailure): boolean {
  return code === 'timed-out' || code === 'aborted' || code === 'killed';
}

/** Returns the environment variables and the stdin of an inject command. */
export function inputOf(mutation: Mutation): Pick<Command, 'env' | 'stdin'> {
  const values = [...mutation.params].map(([key, value]) => [variableOf(key), format(value)]);
  return {
    env: { PERTURB_MUTATION_ID: mutation.id, ...Object.fromEntries(values) },
    stdin: `${writeMutation(mutation)}\n`,
  };
}

const UNPAIRED_SURROGATE = 'a value contains an unpaired surrogate';

function spawnCommand(
  subject: string,
  [command = '', ...args]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): ChildProcess {
  try {
    return spawn(command, args, { cwd, env, detached: true, stdio: ['pipe', 'ignore', 'pipe'] });
  } catch (error) {
    const detail =
      codeOf(error) === 'ERR_INVALID_ARG_VALUE'
        ? 'a value contains a NUL character'
        : (error as Error).message;
    throw new ActuatorError('not-started', subject, detail);
  }
}
