export type { Migration } from './migrations.js';
export {
  type OpenOptions,
  openStore,
  readStoreUrl,
  type StoreLocation,
  sqliteAt,
} from './open-store.js';
export { withoutPasswordVariable } from './postgres/url.js';
export * from './store.js';
