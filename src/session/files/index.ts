/* What reads sessions from files: a door of its own, since a browser has none. */

export { cacheOf } from './cache.js';
export {
  type ReadFileOptions,
  type ReadStreamOptions,
  readSessionFile,
  readSessionStream,
} from './read-session-file.js';
