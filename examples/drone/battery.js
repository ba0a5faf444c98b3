/* The program of the exec actuator: `node battery.js set PERCENT`, `node battery.js clear`. */
import { clearState, writeState } from './state.js';

const [, , action, percent] = process.argv;
if (action === 'set') writeState('battery', { sag: Number(percent) });
else clearState('battery');
