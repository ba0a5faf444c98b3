export { LockError, type Locked, lockDirectory } from './directory-lock.js';
export {
  codeOf,
  isSystemError,
  makeDirectory,
  overwriteFile,
  type Replacement,
  removeFile,
  replaceFile,
  syncDirectory,
} from './files.js';
