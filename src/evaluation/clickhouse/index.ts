export { bindingsOn } from './bindings-on.js';
export { type ConnectOptions, connect } from './connect.js';
export { type Database, EngineError, LimitReached } from './database.js';
export { type ClickHouseOptions, evaluateOn } from './evaluate.js';
export { isLoaded, type LoadResult, loadSession, removeSession } from './load-session.js';
