/* What the scenario `session` measures, bundled for it. */

export { readSessionFile } from '../../src/session/files/index.js';
