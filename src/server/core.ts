export type { LiveActuator } from '../actuators/acting/index.js';
export {
  ActuatorError,
  type ActuatorErrorCode,
  type Clock,
  systemClock,
} from '../actuators/acting/index.js';
export type { InjectOutcome, MutatorHost, ResetOutcome } from './host/host.js';
export type { HostEvent, HostEvents, ResetCause } from './host/host-events.js';
export type { LifecycleHost, MutatorStatus } from './host/host-lifecycle.js';
export { type OpenOptions, openHost } from './host/open-host.js';
export type { Recovery } from './host/recovery.js';
export type { ResidualMutation } from './host/residual-mutation.js';
export type { Shutdown, ShutdownOptions } from './host/shutdown.js';
export { type InspectedState, inspectState } from './state/inspect-state.js';
export { StateError, type StateErrorCode } from './state/state-error.js';
