/** Files that a search of a directory finds, by their names. */
export interface FileKind {
  /** The names, for people. */
  readonly names: string;
  readonly includes: (name: string) => boolean;
}

export const objectiveFiles: FileKind = {
  names: '*.objective.toml',
  includes: (name) => name.endsWith('.objective.toml'),
};

/** The name of a manifest that a command takes when none is given. */
export const MANIFEST = 'mutators.toml';

export const manifestFiles: FileKind = {
  names: `${MANIFEST} or *.${MANIFEST}`,
  includes: (name) => name === MANIFEST || name.endsWith(`.${MANIFEST}`),
};
