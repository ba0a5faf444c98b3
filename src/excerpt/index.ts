export { findCausalPath, type Hop, textAt, timeAt } from './causal-path.js';
export { type Excerpt, excerptOf, type ShownEvent } from './excerpt.js';
