import type { Originals } from '../originals.js';
import type { RunningNotes } from '../running-notes.js';

/** What actuators need of the server they run in. */
export interface ActuatorContext {
  /** The manifest's directory, an absolute path. */
  readonly directory: string;
  /** The environment for commands and modules, and for the placeholders of headers. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where commands are noted while they run. */
  readonly running: RunningNotes;
  /** Where the originals of files are kept while they are mutated. */
  readonly originals: Originals;
}
