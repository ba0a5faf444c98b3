export { causalPath, type Hop, textAt } from './causal-path.js';
export { type Excerpt, excerptOf, type ShownEvent } from './excerpt.js';
