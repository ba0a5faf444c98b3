/* What the scenario `session` and stream.js measure, bundled for them. */

export { readSessionFile } from '../../src/session/files/index.js';
export { readSession } from '../../src/session/index.js';
