export { causalPath, type Hop } from './causal-path.js';
export { textAt } from './event-at.js';
export { type Excerpt, excerptOf, type ShownEvent } from './excerpt.js';
