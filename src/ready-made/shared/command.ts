import { execFileSync } from 'node:child_process';
import { codeOf } from '../../durable/index.js';

/**
 * Runs a command until it exits, and returns its stdout.
 *
 * @throws Error with the command's stderr, or if the command is not installed
 */
export function run(command: string, args: readonly string[], input = ''): string {
  return runIn(process.env, command, args, input);
}

/** Runs a command whose child processes outlive it, and returns its stdout. */
export function runDetached(command: string, args: readonly string[]): string {
  return runIn(inheritedEnvironment(), command, args, '');
}

/**
 * Returns the environment for processes that outlive this process. Excludes the server's variables, which would make
 * the next server kill the processes as remains of a killed server's command.
 */
export const inheritedEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('PERTURB_')));

function runIn(
  env: NodeJS.ProcessEnv,
  command: string,
  args: readonly string[],
  input: string,
): string {
  try {
    return execFileSync(command, args, { env, input, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new Error(`${command} is not installed`);
    const { stderr, message } = error as Error & { readonly stderr?: string };
    throw new Error(`${command} ${args.join(' ')}: ${(stderr || message).trim()}`);
  }
}
