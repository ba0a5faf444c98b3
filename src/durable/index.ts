export { LockError, type Locked, lockDirectory } from './directory-lock.js';
export {
  AttributesError,
  codeOf,
  type HeldDirectory,
  holdDirectory,
  isSystemError,
  makeDirectories,
  makeDirectory,
  openUnlinked,
  overwriteFile,
  type Replacement,
  removeFile,
  replaceFile,
  syncDirectory,
} from './files.js';
export {
  checksum,
  decodeJournal,
  encodeJournal,
  type JournalContent,
  JournalFile,
  type JournalForm,
  type JournalKeeping,
} from './journal.js';
export { endOrphanProcesses, killGroup, processMoment } from './orphan-processes.js';
export {
  belongsToOthers,
  type Input,
  InputError,
  type InputOptions,
  MOST_INPUT_BYTES,
  readInput,
  readInputSoon,
  readOpened,
} from './read-input.js';
