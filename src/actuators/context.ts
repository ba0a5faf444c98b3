import { quote } from '../diagnostics/index.js';
import { ActuatorError } from './actuator-error.js';
import type { RunningNotes } from './exec/running-notes.js';
import type { MutatedFiles } from './file/mutated-files.js';
import type { ModuleThreads } from './module/module-thread.js';
import type { Semaphore } from './scheduling.js';
import { fillEnvironment } from './template.js';

/** The server's services for actuators. */
export interface ActuatorContext {
  /** The manifest's directory, an absolute path. */
  readonly directory: string;
  /** The environment with the values for `{env:NAME}`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The default environment of commands and modules, without secrets. */
  readonly childEnvironment: Readonly<Record<string, string | undefined>>;
  /** Limits on parallel commands and requests. */
  readonly semaphores: { readonly commands: Semaphore; readonly requests: Semaphore };
  /** Module threads, shared by mutators with the same file. */
  readonly threads: ModuleThreads;
  /** The notes about running commands. */
  readonly running: RunningNotes;
  /** Changes files and keeps their originals. */
  readonly files: MutatedFiles;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Expands a text's environment variables. Throws an ActuatorError for a variable that is not set.
 *
 * @param subject the text's name in messages
 */
export function expandVariables(environment: Environment, text: string, subject: string): string {
  return fillEnvironment(text, (variable) => {
    const value = environment[variable];
    if (value !== undefined) return value;
    throw new ActuatorError('environment-missing', subject, quote(variable));
  });
}

/** Returns the environment of a command or module, including the manifest's variables. Throws like `expandVariables`. */
export function environmentWith(
  variables: ReadonlyMap<string, string>,
  { environment, childEnvironment }: ActuatorContext,
): Environment {
  const filled = [...variables].map(([name, text]) => {
    return [name, expandVariables(environment, text, `the variable ${quote(name)}`)] as const;
  });
  return { ...childEnvironment, ...Object.fromEntries(filled) };
}

/** Returns an environment without the variables that contain secrets. */
export function withoutVariables(environment: Environment, secret: readonly string[]): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !secret.includes(name)));
}
