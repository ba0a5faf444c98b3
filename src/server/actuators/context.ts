import type { Gate } from '../state/gate.js';
import type { RunningNotes } from '../state/running-notes.js';
import type { MutatedFiles } from './file/mutated-files.js';
import type { ModuleThreads } from './module/module-threads.js';

/** What actuators need of the server they run in. */
export interface ActuatorContext {
  /** The manifest's directory, an absolute path. */
  readonly directory: string;
  /** Where `{env:NAME}` is looked up. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What commands and modules get by themselves: the environment without the secrets. */
  readonly childEnvironment: Readonly<Record<string, string | undefined>>;
  /** How many commands may run at a time, and how many requests. */
  readonly gates: { readonly commands: Gate; readonly requests: Gate };
  /** Threads of modules, which mutators of one file share. */
  readonly threads: ModuleThreads;
  /** Where commands are noted while they run. */
  readonly running: RunningNotes;
  /** Where files are changed, and what they were is kept. */
  readonly files: MutatedFiles;
}
