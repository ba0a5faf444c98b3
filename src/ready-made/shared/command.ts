import { execFileSync } from 'node:child_process';
import { codeOf } from '../../durable/index.js';

/**
 * Runs a command to its end and returns its stdout.
 * @throws Error with its stderr, or if the command is not installed
 */
export function run(command: string, args: readonly string[], input = ''): string {
  return runIn(process.env, command, args, input);
}

/** Runs a command that starts processes which outlive the command, and returns its stdout. */
export function runDetached(command: string, args: readonly string[]): string {
  return runIn(inheritedEnvironment(), command, args, '');
}

/**
 * Returns the environment for processes that outlive this process. Without the server's variables, they do not count
 * as parts of a command that a killed server left.
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
