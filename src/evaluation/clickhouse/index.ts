export { type ConnectOptions, connect, EngineError } from './connect.js';
export { type Database, LimitReached } from './database.js';
export { type ClickHouseOptions, evaluateOn } from './evaluate.js';
export { isLoaded, type LoadResult, loadSession, removeSession } from './load-session.js';
