export { LockError, lockDirectory } from './directory-lock.js';
export {
  codeOf,
  isSystemError,
  makeDirectory,
  type Replacement,
  removeFile,
  replaceFile,
  syncDirectory,
} from './files.js';
