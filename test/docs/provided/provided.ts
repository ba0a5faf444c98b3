import type { Installation } from '../installed.js';

/** What a test gives to the commands of a document. */
export interface Provided {
  /** Variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** A directory of programs. */
  readonly bin?: string;
  /** Hosts that the document names, and their ports on the loopback. */
  readonly hosts?: Readonly<Record<string, number>>;
  /** Ends what was started. */
  readonly end?: () => Promise<void>;
}

/** Where the commands run. */
export interface Surroundings {
  readonly installation: Installation;
  /** The reader's home. */
  readonly home: string;
  /** The directory that the reader works in, with nothing but the package. */
  readonly directory: string;
  /** A directory for what the reader does not see. */
  readonly hidden: string;
}

export type Provide = (around: Surroundings) => Promise<Provided>;
