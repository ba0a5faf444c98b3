export { LockError, lockDirectory } from './directory-lock.js';
export {
  AttributesError,
  codeOf,
  type HeldDirectory,
  holdDirectory,
  isSystemError,
  makeDirectories,
  makeDirectory,
  openNoFollow,
  overwriteFile,
  type Replacement,
  removeFile,
  replaceFile,
} from './files.js';
export { findByGlob } from './glob.js';
export {
  checksum,
  decodeJournal,
  encodeJournal,
  JournalFile,
  type JournalFormat,
} from './journal.js';
export { lockName } from './named-lock.js';
export {
  captureProcessMoment,
  endOrphanProcesses,
  isOrphaned,
  killGroup,
} from './orphan-processes.js';
export {
  InputError,
  isOwnedByAnotherUser,
  MAX_INPUT_BYTES,
  readInput,
  readInputAsync,
  readOpenFile,
} from './read-input.js';
