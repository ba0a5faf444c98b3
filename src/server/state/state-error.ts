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
    `the state directory ${path} cannot be used (${detail}): give this user access to it; it records what may be mutated`,
  'no-lock': ({ path, detail }: Circumstances) =>
    `the state directory ${path} cannot be locked (${detail}): it needs a local file system, and a path that is not too long`,
  'in-use': ({ path, detail }: Circumstances) =>
    `the state directory ${path} is in use by another server (process ${detail}): end that one, or choose another directory with --state-dir`,
  'not-written': ({ path, detail }: Circumstances) =>
    `${path} cannot be written (${detail}): nothing can be injected until it can`,
};

/** The state directory cannot be used as asked. The message is for people. */
export class StateError extends Error {
  override readonly name = 'StateError';
  readonly code: StateErrorCode;

  constructor(code: StateErrorCode, path: string, detail = '') {
    super(MESSAGES[code]({ path, detail }));
    this.code = code;
  }
}
