export type { Actuator } from './actuators/actuator.js';
export { ActuatorError, type ActuatorErrorCode } from './actuators/actuator-error.js';
export type { InjectOutcome, MutatorHost, ResetOutcome } from './host/host.js';
export type { HostEvent, HostEvents, ResetCause } from './host/host-events.js';
export type {
  LifecycleHost,
  MutatorStatus,
  Recovery,
  Shutdown,
  ShutdownOptions,
} from './host/host-lifecycle.js';
export { type OpenOptions, openHost } from './host/open-host.js';
export type { Left } from './host/reasons.js';
export { type Clock, systemClock } from './state/clock.js';
export { type InspectedState, inspectState } from './state/inspect-state.js';
export { StateError, type StateErrorCode } from './state/state-error.js';
