export {
  type ConnectOptions,
  connect,
  type Database,
  EngineError,
  LimitReachedError,
} from './database.js';
export { engineOn } from './evaluate.js';
export { isLoaded, type LoadResult, loadSession, removeSession } from './load-session.js';
