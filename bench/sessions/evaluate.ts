export { evaluate } from '../../src/evaluation/index.js';
export { parse } from '../../src/expression/index.js';
export { largeSession, selectLabels } from './large-session.js';
export { sessionOf } from './many-timelines.js';
