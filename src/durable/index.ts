export { LockError, type Locked, lockDirectory } from './directory-lock.js';
export { codeOf, isSystemError, makeDirectory, syncDirectory } from './files.js';
