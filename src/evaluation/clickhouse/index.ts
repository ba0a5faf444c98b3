export { bindingsOn } from './bindings.js';
export {
  type ConnectOptions,
  connect,
  type Database,
  EngineError,
  LimitReached,
} from './database.js';
export { type ClickHouseOptions, evaluateOn } from './evaluate.js';
export { isLoaded, type LoadResult, loadSession, removeSession } from './load-session.js';
