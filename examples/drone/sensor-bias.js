/* The module actuator: inject is called with the id of the mutation and its parameters. */
import { clearState, writeState } from './state.js';

export function inject(_mutation, { bias }) {
  writeState('sensor-bias', { bias });
}

export function reset() {
  clearState('sensor-bias');
}
