export type { Actuator } from './actuators/actuator.js';
export { ActuatorError, type ActuatorErrorCode } from './actuators/actuator-error.js';
export { type Clock, systemClock } from './clock.js';
export type { InjectOutcome, MutatorHost, ResetOutcome } from './host.js';
export type { HostEvent, HostEvents, ResetCause } from './host-events.js';
export type {
  LifecycleHost,
  MutatorStatus,
  Recovery,
  Shutdown,
  ShutdownOptions,
} from './host-lifecycle.js';
export { type OpenOptions, openHost } from './open-host.js';
export type { Left } from './reasons.js';
export { StateError, type StateErrorCode } from './state-error.js';
