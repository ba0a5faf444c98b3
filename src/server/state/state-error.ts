/** What can be wrong with the state directory. */
export type StateErrorCode = keyof typeof MESSAGES;

interface Circumstances {
  /** The directory, or a file in it. */
  readonly path: string;
  /** The particulars. */
  readonly detail: string;
}

/** What happened and what to do about it: the only place where that is written. */
const MESSAGES = {
  'not-usable': ({ path, detail }: Circumstances) =>
    `the state directory ${path} can't be used (${detail}): choose another with --state-dir`,
  'no-lock': ({ path, detail }: Circumstances) =>
    `the state directory ${path} can't be locked (${detail}): choose one on a local file system with --state-dir`,
  'in-use': ({ path, detail }: Circumstances) =>
    `the state directory ${path} is in use by another server (process ${detail}): end that one, or choose another directory with --state-dir`,
  damaged: ({ path, detail }: Circumstances) =>
    `${path} is damaged (${detail}): see by hand to it that no mutator is active, then delete the file`,
  'other-version': ({ path, detail }: Circumstances) =>
    `${path} was written by another version of Perturb (${detail}): start and end that version once, or see by hand to it that no mutator is active and delete the file`,
  'not-written': ({ path, detail }: Circumstances) => `${path} can't be written: ${detail}`,
};

/** The state directory can't be used as asked. The message is for people. */
export class StateError extends Error {
  override readonly name = 'StateError';
  readonly code: StateErrorCode;

  constructor(code: StateErrorCode, path: string, detail = '') {
    super(MESSAGES[code]({ path, detail }));
    this.code = code;
  }
}
