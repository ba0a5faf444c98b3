import { quote } from '../diagnostics/index.js';
import { ActuatorError } from './actuator-error.js';
import type { RunningNotes } from './exec/running-notes.js';
import type { MutatedFiles } from './file/mutated-files.js';
import type { ModuleThreads } from './module/module-thread.js';
import type { Gate } from './scheduling.js';
import { fillEnvironment } from './template.js';

/** What actuators need of the server they run in. */
export interface ActuatorContext {
  /** The manifest's directory, an absolute path. */
  readonly directory: string;
  /** Where `{env:NAME}` is looked up. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What commands and modules get by default: the environment without the secrets. */
  readonly childEnvironment: Readonly<Record<string, string | undefined>>;
  /** How many commands may run at a time, and how many requests. */
  readonly gates: { readonly commands: Gate; readonly requests: Gate };
  /** Threads of modules, which mutators with the same file share. */
  readonly threads: ModuleThreads;
  /** Where commands are noted while they run. */
  readonly running: RunningNotes;
  /** What changes files, and keeps what they were. */
  readonly files: MutatedFiles;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A text with the values of Perturb's own variables in it. Throws an ActuatorError for one that is not set.
 *
 * @param subject what the text is
 */
export function fillFrom(environment: Environment, text: string, subject: string): string {
  return fillEnvironment(text, (variable) => {
    const value = environment[variable];
    if (value !== undefined) return value;
    throw new ActuatorError('environment-missing', subject, quote(variable));
  });
}

/** The environment of a command or module, with the variables of a manifest. Throws as `fillFrom` does. */
export function environmentWith(
  variables: ReadonlyMap<string, string>,
  { environment, childEnvironment }: ActuatorContext,
): Environment {
  const given = [...variables].map(([name, text]) => {
    return [name, fillFrom(environment, text, `the variable ${quote(name)}`)] as const;
  });
  return { ...childEnvironment, ...Object.fromEntries(given) };
}

/** An environment without the variables that hold secrets. */
export function withoutVariables(environment: Environment, secret: readonly string[]): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !secret.includes(name)));
}
