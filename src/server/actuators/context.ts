import type { RunningNotes } from '../state/running-notes.js';
import type { MutatedFiles } from './file/mutated-files.js';

/** What actuators need of the server they run in. */
export interface ActuatorContext {
  /** The manifest's directory, an absolute path. */
  readonly directory: string;
  /** The environment for commands and modules, and for the placeholders of headers. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where commands are noted while they run. */
  readonly running: RunningNotes;
  /** Where files are changed, and what they were is kept. */
  readonly files: MutatedFiles;
}
