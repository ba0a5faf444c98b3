export { type MutationSet, type Space, strategies, type Tried } from '../../src/runner/index.js';
