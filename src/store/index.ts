export type { Migration } from './migrations.js';
export {
  type OpenOptions,
  openStore,
  readStoreUrl,
  type StoreLocation,
  sqliteAt,
} from './open-store.js';
export { withoutVariable } from './postgres/url.js';
export type {
  Candidate,
  Damage,
  Identity,
  Listed,
  LogEntry,
  ObjectiveStore,
  Registration,
  Revision,
  RevisionOrigin,
  Verification,
} from './store.js';
export { StoreError } from './store.js';
