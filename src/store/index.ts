export type { Migration } from './migrations/index.js';
export { type OpenOptions, openStore } from './open-store.js';
export type {
  Candidate,
  Content,
  Damage,
  Identity,
  Listed,
  LogEntry,
  ObjectiveStore,
  Origin,
  RegisterOptions,
  Registration,
  Revision,
  Summary,
  Verification,
  VerifyOptions,
} from './store.js';
export { StoreError, type StoreErrorCode } from './store-error.js';
export { type Directories, readStoreUrl, type StoreLocation, sqliteAt } from './store-url.js';
