export type { Migration } from './migrations.js';
export {
  type Directories,
  type OpenOptions,
  openStore,
  readStoreUrl,
  type StoreLocation,
  sqliteAt,
} from './open-store.js';
export { withoutVariable } from './postgres/url.js';
export type {
  Candidate,
  Content,
  Damage,
  Identity,
  Listed,
  LogEntry,
  ObjectiveStore,
  RegisterOptions,
  Registration,
  Revision,
  RevisionOrigin,
  Summary,
  Verification,
  VerifyOptions,
} from './store.js';
export { StoreError, type StoreErrorCode } from './store.js';
