export type { LiveActuator } from '../actuators/acting/index.js';
export {
  ActuatorError,
  type ActuatorErrorCode,
  type Clock,
  systemClock,
} from '../actuators/acting/index.js';
export { openApiDocument } from './api/api.js';
export { type AppOptions, buildApp } from './api/app.js';
export { type ApiKeys, createKeys } from './api/auth.js';
export { defaultLimits, type ServerLimits } from './api/http-server.js';
export type {
  HostEvent,
  HostEvents,
  InjectOutcome,
  MutatorHost,
  ResetCause,
  ResetOutcome,
} from './host/host.js';
export type { LifecycleHost, MutatorStatus } from './host/host-lifecycle.js';
export { type HostOpenOptions, openHost } from './host/open-host.js';
export type { Recovery, ResidualMutation, Shutdown, ShutdownOptions } from './host/shutdown.js';
export { type InspectedState, inspectState } from './host/state-directory.js';
export { StateError, type StateErrorCode } from './host/state-journal.js';
export { createTextOutput, LOG_FORMATS, LOG_LEVELS, type TextOutput } from './observe/logging.js';
export { type Log, type ServerEnd, type ServerProcess, serveMutators } from './serve.js';
export { DEFAULT_HOST, DEFAULT_PORT, type ServeOptions } from './startup/plan.js';
export {
  DEFAULT_PREFIX,
  installPlugin,
  PLUGINS_DIR,
  type PluginInstallation,
} from './startup/plugin.js';
export { ServeError, type ServeErrorCode } from './startup/serve-error.js';
export { tryOut } from './startup/texts.js';
